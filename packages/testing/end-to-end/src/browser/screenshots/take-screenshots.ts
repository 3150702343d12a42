import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ffmpeg } from "@video-to-json/testing/running";
import type { Browser, Page } from "playwright-core";
import type { Visitor } from "../visitor.ts";

/** Whose account a picture shows: a guest's, or one with no job, one job, or many. */
type Owner = "guest" | "none" | "one" | "many";

/** Returns every picture: its name, whose account, the page, and words on it when it is complete. */
const shots = (run: string, failed: string): [string, Owner, string, string][] => [
  ["sign-in", "guest", "/", "E-mail"],
  ["start-none", "none", "/", "Make your first API key"],
  ["start-one", "one", "/", "Last jobs"],
  ["start", "many", "/", "Last jobs"],
  ["keys-none", "none", "/keys", "No key yet"],
  ["keys", "many", "/keys", "production server"],
  ["usage-none", "none", "/usage", "No minutes in these days"],
  ["usage", "many", "/usage", "Extraction"],
  ["jobs-none", "none", "/jobs", "No job yet"],
  ["jobs", "many", "/jobs", "Succeeded"],
  ["job", "one", `/jobs/${run}`, "Time by stage"],
  ["job-failed", "many", `/jobs/${failed}`, "No answer conformed"],
  ["refusals-none", "none", "/refusals", "Nothing was refused"],
  ["refusals", "many", "/refusals", "POST /v1/extract"],
  ["playground-none", "none", "/playground", "No fault found"],
  ["settings", "one", "/settings", "Sign out everywhere"],
  ["status", "one", "/status", "Up"],
];

const viewports = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];
const views = (["light", "dark"] as const).flatMap((colorScheme) =>
  viewports.map((viewport) => ({ colorScheme, viewport })),
);

type Options = {
  readonly browser: Browser;
  readonly baseUrl: string;
  /** The visitors who are signed in to the account of each owner. */
  readonly visitors: Readonly<Record<Exclude<Owner, "guest">, Visitor>>;
  /** The finished run of the playground, which needs its video. */
  readonly run: { readonly id: string; readonly video: string };
  readonly failed: string;
  readonly directory: string;
};

/** Takes each picture in both themes and at three widths, as `<name>-<theme>-<width>.webp`. */
export async function takeScreenshots({ browser, baseUrl, visitors, run, failed, directory }: Options): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const owner of ["guest", "none", "one", "many"] as const) {
    const signedIn = owner !== "guest" && { storageState: await visitors[owner].context.storageState() };
    for (const view of views) {
      const options = { reducedMotion: "reduce", timezoneId: "UTC", locale: "en-GB", baseURL: baseUrl } as const;
      const context = await browser.newContext({ ...options, ...view, ...signedIn });
      const page = await context.newPage();
      const fileOf = (name: string) => join(directory, `${name}-${view.colorScheme}-${view.viewport.width}.webp`);
      for (const [name, , path, words] of shots(run.id, failed).filter(([, whose]) => whose === owner)) {
        await page.goto(`/dashboard${path}`);
        await page.getByText(words).first().waitFor();
        await save(page, fileOf(name));
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

async function showRun(page: Page, { id, video }: Options["run"]): Promise<void> {
  await page.goto(`/dashboard/playground/${id}`);
  await page.locator("input[type=file]").setInputFiles(video);
  await page.locator('[data-moment="/scenes/1/start"]').click();
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
