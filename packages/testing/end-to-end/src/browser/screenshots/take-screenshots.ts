import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ffmpeg } from "@video-to-json/testing/running";
import type { Browser, Page } from "playwright-core";
import type { Visitor } from "../visitor.ts";

/** Whose account a picture shows: a guest's, or one with no job, one job, or many. */
type Owner = "guest" | "none" | "one" | "many";

/** A picture to take: its name, the page, and what to wait for. */
type Shot = {
  readonly name: string;
  readonly owner: Owner;
  readonly path: string;
  readonly ready: (page: Page) => Promise<unknown>;
};

const text = (words: string) => (page: Page) => page.getByText(words).first().waitFor();

/** Returns every picture. `run` is the job of the playground's run, `failed` a job that failed. */
export function shots(run: string, failed: string): Shot[] {
  return [
    { name: "sign-in", owner: "guest", path: "/", ready: (page) => page.getByLabel("E-mail").waitFor() },
    { name: "start-none", owner: "none", path: "/", ready: text("Make your first API key") },
    { name: "start-one", owner: "one", path: "/", ready: text("Last jobs") },
    { name: "start", owner: "many", path: "/", ready: text("Last jobs") },
    { name: "keys-none", owner: "none", path: "/keys", ready: text("No key yet") },
    { name: "keys", owner: "many", path: "/keys", ready: text("production server") },
    { name: "usage-none", owner: "none", path: "/usage", ready: text("No minutes in these days") },
    { name: "usage", owner: "many", path: "/usage", ready: text("Extraction") },
    { name: "jobs-none", owner: "none", path: "/jobs", ready: text("No job yet") },
    { name: "jobs", owner: "many", path: "/jobs", ready: text("Succeeded") },
    { name: "job", owner: "one", path: `/jobs/${run}`, ready: text("Time by stage") },
    { name: "job-failed", owner: "many", path: `/jobs/${failed}`, ready: text("What to do") },
    { name: "playground-none", owner: "none", path: "/playground", ready: text("No fault found") },
    { name: "settings", owner: "one", path: "/settings", ready: text("Sign out everywhere") },
    { name: "status", owner: "one", path: "/status", ready: text("Up") },
  ];
}

const widths = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];
const themes = ["light", "dark"] as const;

type Options = {
  readonly browser: Browser;
  readonly baseUrl: string;
  /** The visitors who are signed in to the account of each owner. */
  readonly visitors: Readonly<Record<Exclude<Owner, "guest">, Visitor>>;
  readonly shots: readonly Shot[];
  /** The finished run of the playground, which needs its video. */
  readonly run: { readonly path: string; readonly video: string; readonly mark: string };
  readonly directory: string;
};

/** Takes each picture in both themes and at three widths, as `<name>-<theme>-<width>.webp`. */
export async function takeScreenshots({ browser, baseUrl, visitors, shots, run, directory }: Options): Promise<void> {
  await mkdir(directory, { recursive: true });
  const owners = ["guest", "none", "one", "many"] as const;
  for (const owner of owners) {
    const storageState = owner === "guest" ? undefined : await visitors[owner].context.storageState();
    for (const colorScheme of themes) {
      for (const viewport of widths) {
        const context = await browser.newContext({
          viewport,
          colorScheme,
          baseURL: baseUrl,
          reducedMotion: "reduce",
          timezoneId: "UTC",
          locale: "en-GB",
          ...(storageState && { storageState }),
        });
        const page = await context.newPage();
        const fileOf = (name: string) => join(directory, `${name}-${colorScheme}-${viewport.width}.webp`);
        for (const shot of shots.filter((one) => one.owner === owner)) {
          await page.goto(`/dashboard${shot.path}`);
          await shot.ready(page);
          await save(page, fileOf(shot.name));
        }
        if (owner === "one") {
          await showRun(page, run);
          await save(page, fileOf("playground"));
          await page.getByRole("tab", { name: "Evidence" }).click();
          await page.locator(".evidence-span").first().focus();
          await save(page, fileOf("playground-evidence"));
        }
        await context.close();
      }
    }
  }
}

async function showRun(page: Page, { path, video, mark }: Options["run"]): Promise<void> {
  await page.goto(`/dashboard${path}`);
  await page.locator("input[type=file]").setInputFiles(video);
  await page.locator(`[data-moment="${mark}"]`).click();
  await page.locator(".tree .lit").first().waitFor();
  await page.waitForFunction(() => {
    const shown = document.querySelector("video");
    return shown && !shown.seeking && shown.readyState >= 2;
  });
}

/** Saves the visible part of a page, as WebP: a fifth of the size of PNG. */
async function save(page: Page, file: string): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => document.fonts.ready);
  const png = `${file}.png`;
  await writeFile(png, await page.screenshot({ animations: "disabled", caret: "hide" }));
  await ffmpeg(["-i", png, "-c:v", "libwebp", "-quality", "84", "-compression_level", "6", file]);
  await rm(png);
}
