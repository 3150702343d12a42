import { randomUUID } from "node:crypto";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Mailbox } from "./start-mailbox.ts";

type Deps = { readonly browser: Browser; readonly mailbox: Pick<Mailbox, "takeCode">; readonly baseUrl: string };

type Options = { readonly email?: string; readonly width?: number; readonly height?: number };

export type Visitor = {
  readonly email: string;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Opens a page of the dashboard: "/keys". */
  open(path: string): Promise<void>;
  signIn(): Promise<void>;
  /** Everything that the browser blocked, failed at, or requested from another server. */
  readonly faults: readonly string[];
};

/** Returns a visitor who has not signed in yet. */
export async function newVisitor(
  deps: Deps,
  { email = `${randomUUID()}@example.com`, width = 1440, height = 900 }: Options = {},
): Promise<Visitor> {
  const { browser, mailbox, baseUrl } = deps;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: "light",
    reducedMotion: "reduce",
    baseURL: baseUrl,
    timezoneId: "UTC",
    locale: "en-GB",
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const faults = watch(page, baseUrl);
  const open = async (path: string) => {
    await page.goto(`/dashboard${path}`);
  };
  return {
    email,
    context,
    page,
    faults,
    open,
    async signIn() {
      await open("/");
      await page.getByLabel("E-mail").fill(email);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByLabel("Code").fill(await mailbox.takeCode(email));
      await page.getByRole("heading", { name: "Welcome" }).waitFor();
    },
  };
}

/** Collects events that must never happen: errors of the page, violations of its policy, requests to other servers. */
function watch(page: Page, baseUrl: string): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    // The browser reports each refused request as an error; the tests check those separately.
    if (message.type() === "error" && !/^Failed to load resource/.test(text)) faults.push(`console: ${text}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(baseUrl) && !url.startsWith(`blob:${baseUrl}`)) faults.push(`foreign request: ${url}`);
  });
  return faults;
}
