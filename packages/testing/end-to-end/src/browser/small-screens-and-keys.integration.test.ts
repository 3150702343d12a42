import { runsAllTests } from "@video-to-json/testing/running";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser } from "./open-browser.ts";
import { fillAccount } from "./screenshots/fill-account.ts";
import { type Dashboard, startDashboard } from "./start-dashboard.ts";

describe.runIf(findBrowser() && runsAllTests)("the dashboard on small screens and by keyboard", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test.each([360, 768])("no page is wider than a screen of %d px", async (width) => {
    const { page, open } = await dashboard.signedIn({ width, height: 740 });
    for (const path of ["/", "/keys", "/usage", "/jobs", "/playground", "/refusals", "/settings", "/status"]) {
      await open(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      const widest = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([path, widest]).toEqual([path, width]);
    }
  });

  test("no table of a large account is cut on a small screen, and nothing moves while it loads", async () => {
    const { page, open, email } = await dashboard.signedIn();
    await fillAccount(dashboard.service.databaseUrl, email, 240);
    await page.addInitScript(() => {
      const store = window as unknown as { moved: number };
      store.moved = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) store.moved += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    for (const width of [360, 768]) {
      await page.setViewportSize({ width, height: 740 });
      for (const path of ["/", "/keys", "/usage", "/jobs"]) {
        await open(path);
        await page.locator(".row-anchor, .key-name, .ledger-table .text-link").first().waitFor();
        await page.waitForLoadState("networkidle");
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll(".table-scroll, .figure")]
            .filter((part) => part.scrollWidth > part.clientWidth)
            .map((part) => part.className),
        );
        const moved = await page.evaluate(() => (window as unknown as { moved: number }).moved);
        expect.soft([width, path, cut, moved < 0.02]).toEqual([width, path, [], true]);
      }
    }
  });

  test("on a small screen, the menu leads to every page and closes after the choice", async () => {
    const { page } = await dashboard.signedIn({ width: 360, height: 740 });
    await page.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("dialog").getByRole("link", { name: "API keys" }).click();
    await page.getByText("No key yet").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("a key can be made by keyboard alone, and the focus comes back", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/keys");
    await page.getByText("No key yet").waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
    for (let presses = 0; (await focused()) !== "New key" && presses < 30; presses++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByLabel("Name").waitFor();
    await page.keyboard.type("by keyboard");
    await page.keyboard.press("Enter");
    await page.getByTestId("new-key").waitFor();
    // Escape does not close a dialog whose content is shown only once.
    await page.keyboard.press("Escape");
    await page.getByTestId("new-key").waitFor();
    for (let presses = 0; (await focused()) !== "I have copied it" && presses < 10; presses++) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: /^by keyboard/ }).waitFor();
    await expect.poll(focused).toBe("New key");
  });

  test("the menu of the account opens by keyboard and changes the theme", async () => {
    const { page } = await dashboard.signedIn();
    await page.locator(".sidebar .account-trigger").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitemradio", { name: "Dark theme" }).click();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await page.reload();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  });
});
