import { deleteOldRefusedRequests } from "@video-to-json/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDashboard } from "../dashboard/dashboard.harness.ts";

let site: Awaited<ReturnType<typeof startDashboard>>;
beforeAll(async () => {
  site = await startDashboard();
});
afterAll(() => site[Symbol.asyncDispose]());

async function withKey() {
  const { browser, accountId } = await site.signedIn();
  const body = { name: "ci", scope: "extract", monthly_limit_minutes: null, ends_at: null };
  const { key, record } = await browser.json("POST", "/keys", body);
  const post = (input: unknown) =>
    fetch(`${site.url}/v1/extract`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(input),
    });
  const refusals = async () => {
    await site.refusals.flush();
    return (await browser.get("/refusals")).refusals;
  };
  return { browser, accountId, key, id: record.id, post, refusals };
}

const url = "http://127.0.0.1:1/secret-name.mp4";

test("refusals are shown with key, route, request and advice, without any text of the caller", async () => {
  const { browser, id, key, post, refusals } = await withKey();
  const refused = await post({ schema: { secret: "string|null" }, video_url: url });
  expect(refused.status).toBe(400);
  const [one, ...others] = await refusals();
  expect(others).toEqual([]);
  expect(one).toMatchObject({ route: "POST /v1/extract", key: { id, name: "ci" }, count: 1 });
  expect(one.request_id).toBe(refused.headers.get("x-request-id"));
  expect(one.advice).not.toBe("");
  expect(JSON.stringify(one)).not.toContain("secret");

  await browser.send("DELETE", `/keys/${id}`);
  await fetch(`${site.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  expect(await refusals()).toContainEqual(expect.objectContaining({ code: "unauthorised", route: "GET /v1/me" }));
});

test("a flood of equal refusals is one row a minute, and an account keeps two hundred rows", async () => {
  const { accountId, post, refusals } = await withKey();
  await Promise.all(Array.from({ length: 50 }, () => post({ schema: {}, video_url: url })));
  const rows = await refusals();
  expect(rows.length).toBeLessThanOrEqual(2);
  expect(rows.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(50);
  await site.db.execute(`insert into refused_requests select '${accountId}', '00000000-0000-0000-0000-000000000000',
    'rate_limited', 'GET /v1/me', now() - make_interval(mins => n), 1, 'r', now() - make_interval(mins => n)
    from generate_series(1, 400) n`);
  await post({ schema: {}, video_url: url });
  expect(await refusals()).toHaveLength(200);
});

test("refusals are deleted after seven days and with their account, and another account sees none", async () => {
  const { accountId, browser, post, refusals } = await withKey();
  await post({ schema: {}, video_url: url });
  expect(await refusals()).toHaveLength(1);
  expect(await (await withKey()).refusals()).toEqual([]);
  await site.db.execute(
    `update refused_requests set last_at = now() - interval '8 days' where account_id = '${accountId}'`,
  );
  expect(await deleteOldRefusedRequests(site.db)).toBe(1);
  await post({ schema: {}, video_url: url });
  await site.refusals.flush();
  await browser.send("DELETE", "/account");
  const left = await site.db.execute(`select from refused_requests where account_id = '${accountId}'`);
  expect(left).toHaveLength(0);
});
