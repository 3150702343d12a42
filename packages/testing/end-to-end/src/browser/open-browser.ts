import { existsSync } from "node:fs";
import { join } from "node:path";
import { findCommand, repositoryRoot } from "@video-to-json/testing/running";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const macApplications = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The path of a Chromium on this machine, or undefined. `CHROMIUM` names another one. */
export function findBrowser(): string | undefined {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return names.map((name) => findCommand(name)).find((path) => path !== undefined) ?? macApplications.find(existsSync);
}

/** Starts the browser without a window. Throws if there is no browser, or the dashboard's page is not built. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error("No Chromium was found. Run ./scripts/setup, or set CHROMIUM to its path.");
  if (!existsSync(join(repositoryRoot, "apps", "dashboard", "dist", "index.html"))) {
    throw new Error("The dashboard's page is not built. Run ./scripts/setup.");
  }
  // As root, Chromium starts only without its sandbox. It opens only our own page here.
  const args = ["--disable-gpu", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])];
  return await chromium.launch({ executablePath, args });
}
