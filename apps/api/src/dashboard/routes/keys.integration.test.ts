import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure } from "../../api.harness.ts";
import { startDashboard } from "../dashboard.harness.ts";

let site: Awaited<ReturnType<typeof startDashboard>>;
beforeAll(async () => {
  site = await startDashboard();
});
afterAll(() => site[Symbol.asyncDispose]());

async function withKey(limits: { monthly_limit_minutes?: number; ends_at?: string; scope?: string } = {}) {
  const { browser, accountId } = await site.signedIn();
  const body = { name: "server", scope: "extract", monthly_limit_minutes: null, ends_at: null, ...limits };
  const { key, record } = await browser.json("POST", "/keys", body);
  return { browser, accountId, key, id: record.id as string };
}

const statusOf = async (key: string) =>
  (await fetch(`${site.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;
const change = { name: " renamed ", monthly_limit_minutes: 9, ends_at: "2099-01-01T00:00:00Z" };

test("a live key gets another name, limit and end, keeps its scope, and loses its limits again", async () => {
  const { browser, id, key } = await withKey({ scope: "read" });
  const changed = { name: "renamed", scope: "read", monthly_limit_minutes: 9, ends_at: "2099-01-01T00:00:00.000Z" };
  for (let time = 1; time <= 2; time++) expect(await browser.json("PUT", `/keys/${id}`, change)).toMatchObject(changed);
  const free = { name: "free", monthly_limit_minutes: null, ends_at: null };
  expect(await browser.json("PUT", `/keys/${id}`, free)).toMatchObject({ ...free, scope: "read" });
  expect(await statusOf(key)).toBe(200);
  const grown = await failure(browser.send("PUT", `/keys/${id}`, { body: { ...change, scope: "extract" } }));
  expect(grown.code).toBe("invalid_request");
});

test("a rotated key has a new key of the same limits beside it, and ends after the overlap that was chosen", async () => {
  for (const [overlap, seconds] of [
    ["now", 0],
    ["hour", 3600],
    ["day", 86_400],
    ["week", 604_800],
  ] as const) {
    const { browser, key, id } = await withKey({ monthly_limit_minutes: 7 });
    const rotated = await browser.json("POST", `/keys/${id}/rotate`, { overlap });
    expect(rotated.record).toMatchObject({ name: "server", scope: "extract", monthly_limit_minutes: 7, ends_at: null });
    expect(await statusOf(rotated.key)).toBe(200);
    expect(await statusOf(key)).toBe(overlap === "now" ? 401 : 200);
    const [, old] = (await browser.get("/keys")).keys;
    expect(Math.abs(Date.parse(old.ends_at) - Date.now() - 1000 * seconds)).toBeLessThan(30_000);
  }
});

test("a key that ends before the overlap does not live longer by a rotation, and its new key ends with it", async () => {
  const ends_at = new Date(Date.now() + 60_000).toISOString();
  const { browser, id } = await withKey({ ends_at });
  await browser.json("POST", `/keys/${id}/rotate`, { overlap: "week" });
  expect((await browser.get("/keys")).keys.map((key: { ends_at: string }) => key.ends_at)).toEqual([ends_at, ends_at]);
});

test("twenty clicks at once rotate a key once, and again only after the new key was revoked", async () => {
  const { browser, id } = await withKey();
  const rotate = () => browser.send("POST", `/keys/${id}/rotate`, { body: { overlap: "day" } });
  const answers = await Promise.all(Array.from({ length: 20 }, rotate));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(400)]);
  const [{ id: successor }, ...others] = (await browser.get("/keys")).keys;
  expect(others.map((key: { id: string }) => key.id)).toEqual([id]);
  await browser.send("DELETE", `/keys/${successor}`);
  expect((await rotate()).status).toBe(201);
});

test("the monthly limit holds over a key and all keys of its rotations together", async () => {
  const { browser, accountId, id, key } = await withKey({ monthly_limit_minutes: 2 });
  const spend = (keyId: string, seconds: number) =>
    site.db.execute(`insert into daily_usage (account_id, key_id, day, seconds, jobs)
      values ('${accountId}', '${keyId}', (now() at time zone 'UTC')::date, ${seconds}, 1)`);
  await spend(id, 60);
  const second = await browser.json("POST", `/keys/${id}/rotate`, { overlap: "week" });
  await spend(second.record.id, 60);
  const third = await browser.json("POST", `/keys/${second.record.id}/rotate`, { overlap: "week" });
  const { keys } = await browser.get("/keys");
  expect(keys.map((each: { month_seconds: number }) => each.month_seconds)).toEqual([120, 120, 120]);
  for (const each of [key, second.key, third.key]) {
    const headers = { authorization: `Bearer ${each}`, "content-type": "application/json" };
    const body = JSON.stringify({ schema: { a: "string" }, video_url: "http://127.0.0.1:1/v.mp4" });
    const refused = await failure(fetch(`${site.url}/v1/extract`, { method: "POST", headers, body }));
    expect(refused).toMatchObject({
      status: 402,
      error: { details: expect.arrayContaining([expect.stringMatching(/^used: 120 s/)]) },
    });
  }
});

test("a key that was revoked or has ended is neither changed nor rotated, and that of another account is unknown", async () => {
  const { browser, id, accountId } = await withKey();
  const ended = await withKey();
  await ended.browser.json("POST", `/keys/${ended.id}/rotate`, { overlap: "now" });
  await browser.send("DELETE", `/keys/${id}`);
  const attempts = (by: typeof browser, key: string) => [
    by.send("PUT", `/keys/${key}`, { body: change }),
    by.send("POST", `/keys/${key}/rotate`, { body: { overlap: "now" } }),
  ];
  for (const [by, key, code] of [
    [browser, id, "invalid_request"],
    [ended.browser, ended.id, "invalid_request"],
    [browser, ended.id, "not_found"],
    [browser, randomUUID(), "not_found"],
    [browser, "x", "invalid_request"],
  ] as const) {
    for (const attempt of attempts(by, key)) expect((await failure(attempt)).code).toBe(code);
  }
  const [left] = await site.db.execute(`select count(*)::int as keys from api_keys where account_id = '${accountId}'`);
  expect(left).toEqual({ keys: 1 });
});

test("keys are changed and rotated within ten minutes after a sign-in only", async () => {
  const { browser, id, accountId } = await withKey();
  await site.db.execute(`update dashboard_sessions set created_at = now() - interval '11 minutes' where user_id in
    (select id from dashboard_users where account_id = '${accountId}')`);
  for (const [method, path, body] of [
    ["PUT", `/keys/${id}`, change],
    ["POST", `/keys/${id}/rotate`, { overlap: "now" }],
  ] as const) {
    expect((await browser.send(method, path, { body })).ok).toBe(false);
  }
});

test("an account without minutes gets the operator's way to more by REST, by MCP and on its pages", async () => {
  const moreMinutes = "Buy minutes at https://example.com/minutes.";
  await using other = await startDashboard({ limits: { moreMinutes, freeSeconds: 0 } });
  const { key } = await other.newCaller(`${randomUUID()}@example.com`, 0);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const input = { schema: { a: "string" }, video_url: "http://127.0.0.1:1/v.mp4" };
  const refused = await failure(
    fetch(`${other.url}/v1/extract`, { method: "POST", headers, body: JSON.stringify(input) }),
  );
  expect(refused).toMatchObject({ status: 402, error: { message: expect.stringContaining(moreMinutes) } });
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "extract", arguments: input } };
  const answer = await fetch(`${other.url}/v1/mcp`, {
    method: "POST",
    headers: { ...headers, accept: "application/json, text/event-stream" },
    body: JSON.stringify(call),
  });
  expect(await answer.text()).toContain(moreMinutes);
  const { browser } = await other.signedIn();
  expect((await browser.get("/session")).limits.more_minutes).toBe(moreMinutes);
});
