import { readFile } from "node:fs/promises";
import type { Page, Request, Route } from "playwright-core";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser } from "./open-browser.ts";
import { type Dashboard, startDashboard } from "./start-dashboard.ts";
import { prepareRun, writeSchema } from "./steps.ts";

const own = '{ "title": "string", "goals": [{ "at": "timestamp" }] }';
const run = (page: Page) => page.getByRole("button", { name: "Run", exact: true }).click();

describe.runIf(findBrowser())("the dashboard with broken connections and interrupted work", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test("a draft survives another page, a reload and the end of the session, and no other account sees it", async () => {
    const { page, open, context, email } = await dashboard.signedIn();
    await open("/playground");
    await writeSchema(page, own);
    await page.getByLabel("Instructions").fill("The home team wears red.");
    await page.getByLabel("From").fill("00:02");
    const expectDraft = async () => {
      await expect.poll(() => page.getByRole("textbox", { name: "Schema" }).textContent()).toContain("goals");
      expect(await page.getByLabel("Instructions").inputValue()).toBe("The home team wears red.");
      expect(await page.getByLabel("From").inputValue()).toBe("00:02");
    };
    await page.getByRole("link", { name: "Jobs" }).first().click();
    await page.getByText("No job yet").waitFor();
    await page.goBack();
    await expectDraft();
    await page.reload();
    await expectDraft();
    await context.clearCookies();
    await page.reload();
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByLabel("Code").fill(await dashboard.takeCode(email));
    await expectDraft();

    const other = await dashboard.signedIn();
    await context.clearCookies();
    await context.addCookies(await other.context.cookies());
    await open("/playground");
    await page.getByText("No fault found").waitFor();
    await expect.poll(() => page.getByLabel("Instructions").inputValue()).toBe("");
  });

  test("a stranger comes from /docs to an answer of their own in less than three minutes, with nothing at hand", async () => {
    const { page, email } = await dashboard.newVisitor();
    const since = performance.now();
    await page.goto("/docs");
    await page.getByRole("link", { name: "Get a key" }).click();
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByLabel("Code").fill(await dashboard.takeCode(email));
    await page.getByRole("link", { name: "Playground" }).first().click();
    await page.route("**/sample*.mp4", (route) => route.fulfill({ status: 502 }), { times: 1 });
    await page.getByRole("button", { name: "Use a sample video" }).click();
    await page.getByText("The sample video did not load.").waitFor();
    await page.getByRole("button", { name: "Use a sample video" }).click();
    await page.getByText("Costs 1 min").waitFor();
    await run(page);
    await page.getByText(/^Billed 1 min/).waitFor();
    expect(performance.now() - since).toBeLessThan(180_000);
    await page.getByRole("list", { name: "Answer" }).waitFor();
  });

  test("a schema that is saved by name opens in another browser, with each of its versions", async () => {
    const { page, open, email } = await dashboard.signedIn();
    await open("/playground");
    const save = async (text: string) => {
      await writeSchema(page, text);
      await page.getByRole("button", { name: "Save the schema" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("cup final");
      await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await save(own);
    await save('{ "second": "string" }');
    const other = await dashboard.signedIn({ email });
    await other.open("/playground");
    const choose = async (option: string, word: string) => {
      await other.page.getByRole("combobox", { name: "Template" }).click();
      await other.page.getByRole("option", { name: option }).click();
      await expect.poll(() => other.page.getByRole("textbox", { name: "Schema" }).textContent()).toContain(word);
    };
    await choose("cup final, version 2", "second");
    await choose("cup final, version 1", "goals");
  });

  test("a run has the name of its file, is found by it, and can be run again with its clip", async () => {
    const { page: first, open: openFirst, email } = await dashboard.signedIn();
    // Another browser has no draft of the run.
    const { page, open } = await dashboard.signedIn({ email });
    await openFirst("/playground");
    await prepareRun(first, dashboard.video);
    await first.getByLabel("From").fill("00:02");
    await run(first);
    await first.getByText(/^Billed 1 min/).waitFor();
    await open("/jobs");
    await page.getByLabel("Name, id or text").fill("THREE-col");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=THREE-col/);
    await page.getByRole("link", { name: "three-colours.mp4" }).click();
    await page.getByRole("heading", { name: "three-colours.mp4" }).waitFor();
    await page.getByRole("link", { name: "Run again in the playground" }).click();
    await expect.poll(() => page.getByLabel("From").inputValue()).toBe("00:02");
    await expect.poll(() => page.getByRole("textbox", { name: "Schema" }).textContent()).toContain("main_color");
  });

  test("evidence is reviewed by keyboard beside the video; a correction stays beside the answer, also in the file", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/playground");
    await prepareRun(page, dashboard.video);
    await page.getByLabel("Gather evidence").check();
    await run(page);
    await page.getByText(/^Billed 1 min/).waitFor();
    await page.getByRole("tab", { name: "Evidence" }).click();
    await page.getByRole("button", { name: "Review the values" }).click();
    const current = page.locator("[aria-current=true][data-evidence]");
    await current.waitFor();
    const pointers: (string | null)[] = [];
    const look = async () => pointers.push(await current.getAttribute("data-evidence"));
    await look();
    await page.keyboard.press("a");
    await look();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("c");
    const was = (await current.locator(".evidence-value").getAttribute("title")) ?? "";
    await page.getByLabel(`What is right instead of ${was}`).fill("something else");
    await page.keyboard.press("Enter");
    await look();
    expect(new Set(pointers).size).toBe(3);
    await page.getByText(/^Of \d+ values you looked at 2; 1 was wrong\. /).waitFor();
    // Three seconds of the video are played, and no more.
    const paused = () => page.locator("video").evaluate((video: HTMLVideoElement) => video.paused);
    await expect.poll(paused).toBe(true);

    await page.reload();
    await page.getByRole("tab", { name: "Evidence" }).click();
    await page.getByRole("button", { name: "Continue the review" }).waitFor();
    await page.getByText(/^Of \d+ values you looked at 2; 1 was wrong\.$/).waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the review" }).click();
    const file = JSON.parse(await readFile(await (await downloading).path(), "utf8"));
    expect(file.review).toMatchObject({ looked_at: 2, wrong: 1 });
    expect(JSON.stringify(file.corrected)).toContain("something else");
    expect(JSON.stringify(file.data)).not.toContain("something else");
    await page.getByRole("tab", { name: "Answer", exact: true }).click();
    expect(await page.getByRole("list", { name: "Answer" }).textContent()).not.toContain("something else");
  });

  test.each([
    ["Sign out", "menuitem"],
    ["Sign out everywhere", "button"],
  ] as const)("%s leaves neither draft nor review in the browser", async (name, role) => {
    const { page, open, email } = await dashboard.signedIn();
    await open("/playground");
    await writeSchema(page, own);
    await page.evaluate(() => localStorage.setItem(`review ${localStorage.getItem("signed-in")} of-a-job`, "{}"));
    const kept = () =>
      page.evaluate(() => Object.entries(localStorage).filter(([name]) => /^draft|^review/.test(name)));
    await expect.poll(async () => (await kept()).length).toBe(2);
    if (role === "button") await open("/settings");
    else await page.getByRole("button", { name: email }).click();
    await page.getByRole(role, { name, exact: true }).click();
    await page.getByLabel("E-mail").waitFor();
    expect((await kept()).filter(([, value]) => value !== "null")).toEqual([]);
  });

  test("the tree of an answer moves, opens and closes by arrow keys", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/playground");
    await prepareRun(page, dashboard.video);
    await run(page);
    await page.getByText(/^Billed 1 min/).waitFor();
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("[data-pointer]")?.getAttribute("data-pointer"));
    const press = async (key: string, pointer: string) => {
      await page.keyboard.press(key);
      expect([key, await focused()]).toEqual([key, pointer]);
    };
    const scenes = page.locator("[data-pointer='/scenes'] > button");
    await scenes.focus();
    await press("ArrowRight", "/scenes/0");
    await press("ArrowDown", "/scenes/0/start");
    await press("ArrowUp", "/scenes/0");
    await press("ArrowLeft", "/scenes/0");
    await press("ArrowDown", "/scenes/1");
    await press("ArrowLeft", "/scenes/1");
    await press("ArrowLeft", "/scenes");
    await press("ArrowLeft", "/scenes");
    expect(await scenes.getAttribute("aria-expanded")).toBe("false");
    await press("Home", "/main_color");
    await press("ArrowUp", "/main_color");
    await press("End", "/cuts/1/at");
  });

  test("five hundred marks show where they are dense, and each one when the timeline is zoomed", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/playground");
    await prepareRun(page, dashboard.video);
    await run(page);
    await page.getByText(/^Billed 1 min/).waitFor();
    const marks = Array.from({ length: 500 }, (_, n) => ({
      at: `${String(Math.floor(n / 10)).padStart(2, "0")}:${10 + (n % 10)}`,
    }));
    const sql = postgres(dashboard.service.databaseUrl, { max: 1 });
    await sql`update jobs set duration_ms = 3600000, data = ${JSON.stringify({ marks })}::text::json
      where id = ${page.url().split("/").at(-1) ?? ""}`;
    await sql.end();
    await page.reload();
    const row = page.getByRole("toolbar", { name: "marks" });
    await expect.poll(() => row.getByRole("button").count()).toBe(500);
    const facts = () =>
      row.evaluate((own) => {
        const frame = own.closest(".timeline-window")?.getBoundingClientRect();
        const { left, right } = own.querySelector("button:last-child")?.getBoundingClientRect() ?? new DOMRect();
        const isSeen = frame !== undefined && left < frame.right && right > frame.left;
        const { scrollWidth, clientWidth } = document.documentElement;
        return {
          isDense: own.matches(".lane-dense"),
          isSeen,
          times: Math.round(own.clientWidth / (frame?.width ?? 1)),
          isWide: scrollWidth > clientWidth,
        };
      });
    expect(await facts()).toEqual({ isDense: true, isSeen: true, times: 1, isWide: false });
    for (let zoom = 1; zoom < 16; zoom *= 2) await page.getByRole("button", { name: "Zoom in" }).click();
    expect(await facts()).toEqual({ isDense: false, isSeen: false, times: 16, isWide: false });
    await row.getByRole("button").first().focus();
    await page.keyboard.press("End");
    await expect.poll(facts).toMatchObject({ isSeen: true });
    // The timeline follows the video.
    await page.getByRole("slider", { name: "Position in the video" }).fill("1800");
    await expect.poll(facts).toMatchObject({ isSeen: false });
    for (let zoom = 1; zoom < 16; zoom *= 2) await page.getByRole("button", { name: "Zoom out" }).click();
    expect(await page.getByRole("button", { name: "Zoom out" }).isDisabled()).toBe(true);
  });

  test("another run is compared on the same timeline, value by value", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/playground");
    await prepareRun(page, dashboard.video);
    await run(page);
    await page.getByText(/^Billed 1 min/).waitFor();
    await page.getByRole("button", { name: "New run" }).click();
    await page.getByLabel("From").fill("00:04");
    await run(page);
    await page.getByText(/^Billed 1 min/).waitFor();
    await page.getByRole("combobox", { name: "Compare with" }).click();
    await page.getByRole("option", { name: /^three-colours\.mp4, / }).click();
    await page.getByText(/^\d+ of \d+ values differ\.$/).waitFor();
    expect(await page.getByRole("toolbar", { name: "scenes, other run" }).getByRole("button").count()).toBe(3);
    expect(await page.getByRole("toolbar", { name: "scenes", exact: true }).getByRole("button").count()).toBe(2);
  });

  test("a run whose reply is lost is found at the service and charged once", async () => {
    const { page, open, context } = await dashboard.signedIn();
    await open("/playground");
    await prepareRun(page, dashboard.video);
    await page.route("**/dashboard/api/extract", async (route: Route, request: Request) => {
      const { "content-type": _, "content-length": __, ...headers } = await request.allHeaders();
      const form = new FormData();
      form.set("schema", '{"main_color": "red|green|blue"}');
      form.set("video", new File([await readFile(dashboard.video)], "three-colours.mp4"));
      const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
      const reply = await fetch(request.url(), { method: "POST", headers: { ...headers, cookie }, body: form });
      // The first event: the service admitted the job.
      await reply.body?.getReader().read();
      await route.abort("connectionreset");
    });
    await run(page);
    await page.getByText(/^Billed 1 min/).waitFor();
    expect(page.url()).toMatch(/\/playground\/[0-9a-f-]{36}$/);
    await open("/jobs");
    await page.getByRole("row", { name: /Succeeded/ }).waitFor();
    expect(await page.getByRole("row", { name: /Succeeded/ }).count()).toBe(1);
  });

  test("a request that never arrived is reported after a look at the service, and sent again with the same key", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/playground");
    await prepareRun(page, dashboard.video);
    const keys: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/extract")) keys.push(request.headers()["idempotency-key"]);
    });
    await page.route("**/dashboard/api/extract", (route) => route.abort("connectionreset"));
    await run(page);
    await page.getByText("The page looks for the run at the service.").waitFor();
    await page.getByText("The connection broke before the service had the whole request.").waitFor();
    await page.unroute("**/dashboard/api/extract");
    await run(page);
    await page.getByText(/^Billed 1 min/).waitFor();
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
  });

  test("while a proxy answers 502, a run shows one sentence and no error, and its answer comes by itself", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/playground");
    await prepareRun(page, dashboard.video);
    await dashboard.service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 2500, times: 1 }]);
    await run(page);
    await page.waitForURL(/\/playground\/[0-9a-f-]{36}$/);
    const wall = (route: Route) =>
      route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" });
    await page.route("**/dashboard/api/**", wall);
    await page.reload();
    const sentence = page.getByText(/Jobs continue, and this page shows their answers by itself/);
    await sentence.waitFor();
    expect(await sentence.count()).toBe(1);
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.unroute("**/dashboard/api/**", wall);
    await page.getByText(/^Billed 1 min/).waitFor();
    expect(await sentence.count()).toBe(0);
  });

  test("a page that has lost one of its files loads again once, and says so if the file is gone for good", async () => {
    const { page } = await dashboard.signedIn();
    let loads = 0;
    page.on("framenavigated", () => loads++);
    let isGone = (): boolean => loads < 2;
    await page.route("**/assets/usage-page-*.js", (route) =>
      isGone() ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.getByRole("link", { name: "Usage" }).first().click();
    await page.getByRole("heading", { name: "Usage", level: 1 }).waitFor();
    isGone = () => true;
    await page.reload();
    await page.getByRole("heading", { name: "This page failed to load" }).waitFor();
    await page.getByRole("button", { name: "Reload the page" }).waitFor();
  });

  test("a browser without a network says so, and the page comes by itself when the network is back", async () => {
    const { page, context } = await dashboard.signedIn();
    await context.setOffline(true);
    await page.getByText("You are offline.").waitFor();
    await page.getByRole("link", { name: "API keys" }).first().click();
    await page.getByRole("heading", { name: "This page loads again" }).waitFor();
    await context.setOffline(false);
    await page.getByText("No key yet").waitFor();
    expect(await page.getByText("You are offline.").count()).toBe(0);
  });
});
