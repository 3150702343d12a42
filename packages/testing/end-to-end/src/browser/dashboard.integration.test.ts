import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { repositoryRoot, runsAllTests } from "@video-to-json/testing/running";
import type { AxeResults } from "axe-core";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer } from "../service-facts.ts";
import { findBrowser } from "./open-browser.ts";
import { type Dashboard, startDashboard } from "./start-dashboard.ts";
import { makeKey, prepareRun, writeSchema } from "./steps.ts";

// A browser takes seconds for each page. The API's tests cover the same facts.
const testSlowly = test.runIf(runsAllTests);

describe.runIf(findBrowser())("the dashboard in a browser", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());
  const extract = (key: string) => dashboard.service.extract({}, bearer(key));

  test("a key gets another name and limit, and is rotated once: both keys work until the old one ends", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/keys");
    const old = await makeKey(page, "server", 5);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Edit server" }).click();
    await dialog.getByLabel("Name").fill("live server");
    await dialog.getByLabel("Minutes a month").fill("9");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expectText(page.getByRole("row").filter({ hasText: "live server" }), ["of 9"]);

    const rotate = page.getByRole("button", { name: "Rotate live server" });
    await rotate.click();
    await dialog.getByLabel("In an hour").check();
    const rotations: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/rotate")) rotations.push(request.method());
    });
    await doubleClick(dialog.getByRole("button", { name: "Rotate the key" }));
    const next = (await dialog.getByTestId("new-key").textContent()) ?? "";
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    await expect.poll(() => rotate.count()).toBe(2);
    expect(rotations).toEqual(["POST"]);
    for (const key of [old, next]) expect((await extract(key)).status).toBe(200);
    // Both rows show the one count of both keys.
    await page.reload();
    await expect.poll(() => page.getByRole("cell", { name: "2 min of 9" }).count()).toBe(2);

    await rotate.last().click();
    await dialog.getByRole("button", { name: "Rotate the key" }).click();
    await dialog.getByText("This key was rotated before").waitFor();
  });

  test("a new account makes a key and calls the API with it; job and debit appear; the revoked key gets 401", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/keys");
    await page.getByText("No key yet").waitFor();
    const key = await makeKey(page, "server");
    expect(key).toMatch(/^v2j_live_/);
    expect(await page.content()).not.toContain(key);

    const { status, body } = await extract(key);
    expect(status).toBe(200);
    await open("/jobs");
    const row = page.getByRole("row").filter({ hasText: body.id.slice(0, 8) });
    await expectText(row, ["Succeeded", "1 min", "server"]);
    await open("/usage");
    await expectText(page.getByRole("row").filter({ hasText: body.id.slice(0, 8) }), [
      "Extraction",
      "−1 min",
      "29 min",
    ]);
    await expectText(page.getByRole("row").filter({ hasText: "+30 min" }), ["30 min"]);

    await open("/keys");
    await expectText(page.getByRole("row").filter({ hasText: "server" }), ["1 min", "just now"]);
    await page.getByRole("button", { name: "Revoke server" }).click();
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByText("No key yet").waitFor();
    expect((await extract(key)).status).toBe(401);
  });

  test("a link of another browser shows whom it would sign in and waits for a click, and the code leaves the address", async () => {
    const attacker = await dashboard.newVisitor();
    await attacker.open("/");
    await attacker.page.getByLabel("E-mail").fill(attacker.email);
    await attacker.page.getByRole("button", { name: "Continue" }).click();
    await attacker.page.getByRole("heading", { name: "Enter the code" }).waitFor();
    const code = await dashboard.takeCode(attacker.email);
    const token = (await attacker.context.cookies()).find(({ name }) => name === "v2j.browser")?.value ?? "";
    const members = new URLSearchParams({ email: attacker.email, code, link: token });

    const { page, email, open } = await dashboard.signedIn();
    await open("/status");
    await open(`/sign-in?next=/settings#${members}`);
    await page.getByText(`You are signed in as ${email}`).waitFor();
    await page.getByText("The address asked for this sign-in elsewhere").waitFor();
    expect(page.url()).not.toContain(code);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("button", { name: "Do not sign in" }).click();
    await open("/settings");
    await page.getByText(email, { exact: true }).first().waitFor();

    await open(`/sign-in?next=/settings#${members}`);
    await page.getByRole("button", { name: `Sign in as ${attacker.email}` }).click();
    await page.getByText(attacker.email, { exact: true }).first().waitFor();
  });

  test("the second address of a mailbox has an account without minutes, and its page says whom to ask", async () => {
    const { email } = await dashboard.signedIn();
    const second = email.replace("@", "+second@");
    const { page } = await dashboard.signedIn({ email: second });
    await page.getByText("This account has no free minutes").waitFor();
    await expectText(page.getByText(/Ask the operator/), [second]);
    expect(await findBarriers(page)).toEqual([]);
  });

  test("a tab that shows one account makes no key of another that signed in in the same browser", async () => {
    const { page, context, open } = await dashboard.signedIn();
    await open("/keys");
    await page.getByRole("button", { name: "New key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("mixed up");
    // The other account's session, as another tab of this browser gets it.
    const other = await dashboard.signedIn();
    await context.addCookies(await other.context.cookies());
    await dialog.getByRole("button", { name: "Make the key" }).click();
    await dialog.getByText(/shows another account than the one/).waitFor();
    await other.open("/keys");
    await other.page.getByText("No key yet").waitFor();
  });

  test("the settings end a session of another browser, and an old sign-in is asked again before a key is made", async () => {
    const { page, email, open } = await dashboard.signedIn();
    const lost = await dashboard.signedIn({ email });
    await open("/settings");
    await page.getByText("This browser").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("button", { name: /^End/ }).click();
    await page.getByRole("button", { name: /^End/ }).waitFor({ state: "detached" });
    await lost.open("/keys");
    await lost.page.getByLabel("E-mail").waitFor();

    await open("/keys");
    await page.getByText("No key yet").waitFor();
    await page.clock.setSystemTime(Date.now() + 11 * 60_000);
    await page.getByRole("button", { name: "New key" }).first().click();
    await page.getByRole("dialog").getByRole("link", { name: "Sign in again" }).click();
    await page.getByLabel("E-mail").waitFor();
  });

  testSlowly("a link with a code signs in the browser that asked, and the code leaves the address", async () => {
    const { page, context, email, open } = await dashboard.newVisitor();
    await open("/");
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Continue" }).click();
    // The message can arrive before the answer, which has the cookie.
    await page.getByRole("heading", { name: "Enter the code" }).waitFor();
    const code = await dashboard.takeCode(email);
    const link = (await context.cookies()).find(({ name }) => name === "v2j.browser")?.value ?? "";
    await open("/status");
    await open(`/sign-in#${new URLSearchParams({ email, code, link })}`);
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    expect(page.url()).not.toContain(code);
  });

  testSlowly("a key stops at its limit, and its row says so", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/keys");
    const key = await makeKey(page, "small", 1);
    expect((await extract(key)).status).toBe(200);
    const refused = await extract(key);
    expect([refused.status, refused.body.error.code]).toEqual([402, "out_of_minutes"]);
    await page.reload();
    await expectText(page.getByRole("row").filter({ hasText: "small" }), ["1 min of 1", "Limit reached"]);
  });

  test("the times of a run are on the video: a mark seeks to its second, and fields light up at their times", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/playground");
    await prepareRun(page, dashboard.video);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText(/^Billed 1 min/).waitFor();
    expect(page.url()).toMatch(/\/playground\/[0-9a-f-]{36}$/);

    const time = () => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);
    const lit = (pointer: string) =>
      page.locator(`.tree [data-pointer="${pointer}"]`).evaluate((node) => node.matches(".lit, :has(> .lit)"));
    const second = page.locator('[data-moment="/scenes/1/start"]');
    await second.click();
    await expect.poll(time).toBe(3);
    await expect.poll(() => lit("/scenes/1")).toBe(true);
    expect(await lit("/scenes/0")).toBe(false);
    // By keyboard: the row of the spans is one Tab stop, and the arrow keys move in it.
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await expect.poll(time).toBe(6);
    // A field of the answer seeks too.
    await page.locator('.tree [data-pointer="/scenes/1/color"] button').click();
    await expect.poll(time).toBe(3);

    await page.locator("video").evaluate((video: HTMLVideoElement) => {
      video.muted = true;
      video.currentTime = 5.6;
      return video.play();
    });
    await expect.poll(() => lit("/scenes/2"), { interval: 20 }).toBe(true);
    const litAt = await time();
    expect(litAt).toBeGreaterThanOrEqual(6);
    await page.locator("video").evaluate((video: HTMLVideoElement) => video.pause());
    expect(await lit("/scenes/1")).toBe(false);
    expect(await findBarriers(page)).toEqual([]);
  });

  testSlowly(
    "a reload in the middle of a run finds it again, and so does its link in another tab, with the video chosen again",
    async () => {
      const { page, open, context } = await dashboard.signedIn();
      await open("/playground");
      await prepareRun(page, dashboard.video);
      await dashboard.service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 2500, times: 1 }]);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.waitForURL(/\/playground\/[0-9a-f-]{36}$/);
      await page.reload();
      await page.getByRole("button", { name: "Running" }).waitFor();
      await page.getByText(/^Billed 1 min/).waitFor();

      const other = await context.newPage();
      await other.goto(page.url());
      await other.getByText("Choose the video again").waitFor();
      await other.locator("input[type=file]").setInputFiles(dashboard.video);
      await other.locator('[data-moment="/scenes/1/start"]').click();
      await expect.poll(() => other.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime)).toBe(3);
    },
  );

  test("a doubtful schema does not run before the user chooses to run it anyway", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/playground");
    await prepareRun(page, dashboard.video);
    await writeSchema(page, '{ "tags": "array<string>" }');
    const run = page.getByRole("button", { name: "Run", exact: true });
    await page.getByText("The schema is doubtful.").waitFor();
    expect(await run.isDisabled()).toBe(true);
    await page.getByLabel("Run it anyway").check();
    await run.click();
    await page.getByText(/^Billed 1 min/).waitFor();
  });

  testSlowly("errors of a schema are shown at their place while it is written", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/playground");
    await writeSchema(page, '{\n  "a": "string|null"\n}');
    await page.getByRole("button", { name: /^Line 2/ }).waitFor();
    await page.getByText("Correct the schema first.").or(page.getByText("Choose a video first.")).waitFor();
    await writeSchema(page, '{ "goals": [{ "at": "timestamp" }] }');
    await page.getByText("No fault found").waitFor();
    await page.getByText('"additionalProperties": false').waitFor();
  });

  test("the first page loads at most 200 kB, without the editor", async () => {
    const { page, open } = await dashboard.signedIn();
    const loaded: string[] = [];
    page.on("response", (response) => loaded.push(new URL(response.url()).pathname));
    await open("/");
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    await page.waitForLoadState("networkidle");
    const assets = loaded.filter((path) => path.includes("/assets/"));
    expect(assets.length).toBeGreaterThan(3);
    expect(assets.filter((path) => path.includes("schema-editor"))).toEqual([]);
    const bytes = assets.map((path) => packedSize(path.replace("/dashboard/", "")));
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
  });

  testSlowly("the files of a page are requested before the application runs", async () => {
    const { page, open } = await dashboard.signedIn();
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    const checked = Promise.withResolvers<void>();
    await page.route("**/assets/index-*.js", async (route) => {
      await checked.promise;
      await route.continue();
    });
    const opening = open("/jobs");
    await expect.poll(() => requested.filter((path) => /\/jobs-page-[^/]+\.js$/.test(path)).length).toBe(1);
    checked.resolve();
    await opening;
    await page.getByRole("heading", { name: "Jobs" }).waitFor();
  });

  testSlowly("deleted contents are found no more", async () => {
    const { page, open } = await dashboard.signedIn();
    await open("/keys");
    const { body } = await extract(await makeKey(page, "server"));
    await open(`/jobs/${body.id}`);
    await page.getByRole("button", { name: "Delete contents" }).click();
    await page.getByRole("button", { name: "Delete the contents" }).click();
    await page.getByText("No job yet").waitFor();
    await open(`/jobs/${body.id}`);
    await page.getByText("There is nothing here").waitFor();
  });

  testSlowly("axe finds nothing on any page, in both themes", async () => {
    const guest = await dashboard.newVisitor();
    await guest.open("/");
    await guest.page.getByLabel("E-mail").waitFor();
    expect(await findBarriers(guest.page)).toEqual([]);

    const { page, open } = await dashboard.signedIn();
    const check = async (path: string) => {
      await open(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      expect([path, ...(await findBarriers(page))]).toEqual([path]);
    };
    for (const path of ["/", "/keys", "/usage", "/jobs"]) await check(path);
    await open("/keys");
    const { body } = await extract(await makeKey(page, "server", 100));
    const paths = ["/", "/keys", "/usage", "/jobs", `/jobs/${body.id}`, "/playground", "/settings", "/status"];
    for (const path of paths) await check(path);
    await open("/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});

/** Returns the transferred bytes of a built file, with gzip if that makes it smaller. */
function packedSize(name: string): number {
  const path = join(repositoryRoot, "apps", "dashboard", "dist", name);
  return statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size;
}

/** Clicks twice before the page can draw anything, as a double click on a busy machine does. */
async function doubleClick(button: Locator) {
  await button.evaluate((element) => {
    for (const detail of [1, 2])
      element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail }));
  });
}

async function expectText(locator: Locator, parts: readonly string[]): Promise<void> {
  await locator.waitFor();
  const text = ((await locator.textContent()) ?? "").replaceAll(/\s+/g, " ");
  for (const part of parts) expect(text).toContain(part);
}

const axeSource = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

declare const axe: { run(options?: object): Promise<AxeResults> };

async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(axeSource);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await page.evaluate(() => axe.run());
  await page.emulateMedia({ colorScheme: "dark" });
  // Only colours differ between the themes.
  const dark = await page.evaluate(() => axe.run({ runOnly: ["color-contrast"] }));
  await page.emulateMedia({ colorScheme: "light" });
  return [...linesOf("light", light), ...linesOf("dark", dark)];
}

function linesOf(theme: string, { violations }: AxeResults): string[] {
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) => `${theme}, ${id}: ${html.slice(0, 160)} ${failureSummary?.replaceAll("\n", " ")}`,
    ),
  );
}
