import { randomUUID } from "node:crypto";
import type { LedgerEntry } from "@video-to-json/contract/dashboard/account";
import { findAnyJob, listSavedSchemas, saveIdempotencyKey } from "@video-to-json/database";
import { grant } from "@video-to-json/database/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure } from "../../api.harness.ts";
import { answerJob, openHeldCall } from "../../extract/held-call.harness.ts";
import { startDashboard } from "../dashboard.harness.ts";
import { endedJob } from "./ended-job.harness.ts";

let site: Awaited<ReturnType<typeof startDashboard>>;
beforeAll(async () => {
  site = await startDashboard();
});
afterAll(() => site[Symbol.asyncDispose]());

test("a key is shown once, works at once, and is refused after it was revoked", async () => {
  const { browser } = await site.signedIn();
  const given = { name: " server ", scope: "read", monthly_limit_minutes: 7, ends_at: "2099-01-01T00:00:00Z" };
  const { key, record } = await browser.json("POST", "/keys", given);
  expect(record).toMatchObject({
    name: "server",
    scope: "read",
    monthly_limit_minutes: 7,
    state: "live",
    month_seconds: 0,
    last_used_at: null,
  });
  expect(key.startsWith(record.display)).toBe(true);
  const me = () => fetch(`${site.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  expect((await me()).status).toBe(200);
  const listed = await (await browser.send("GET", "/keys")).text();
  expect(listed).not.toContain(key);
  expect(JSON.parse(listed).keys[0]).toMatchObject({ id: record.id, last_used_at: expect.any(String) });
  for (let time = 1; time <= 2; time++) expect((await browser.send("DELETE", `/keys/${record.id}`)).status).toBe(204);
  expect((await me()).status).toBe(401);
  expect((await browser.get("/keys")).keys[0]).toMatchObject({ state: "revoked", revoked_at: expect.any(String) });
});

test.each([
  [{ name: "" }],
  [{ name: "x".repeat(101) }],
  [{ scope: "admin" }],
  [{ monthly_limit_minutes: 0 }],
  [{ monthly_limit_minutes: 1.5 }],
  [{ ends_at: "tomorrow" }],
  [{ ends_at: "2020-01-01T00:00:00Z" }],
  [{ account_id: randomUUID() }],
])("a key with %j is refused", async (wrong) => {
  const { browser } = await site.signedIn();
  const body = { name: "k", scope: "extract", monthly_limit_minutes: null, ends_at: null, ...wrong };
  expect((await failure(browser.send("POST", "/keys", { body }))).code).toBe("invalid_request");
  expect((await browser.get("/keys")).keys).toEqual([]);
});

test("a saved schema keeps every version, opens for its own account only, and goes with it", async () => {
  const { browser, accountId } = await site.signedIn();
  const { browser: stranger } = await site.signedIn();
  const save = (schema: string, name = "goals") =>
    browser.json("POST", "/schemas", { name, schema, instructions: null });
  const [first, second] = [await save('{"a": '), await save('{"a": "string"}')];
  expect([first.version, second.version, (await save("{}", "other")).version]).toEqual([1, 2, 1]);
  expect(
    (await browser.get("/schemas")).schemas.map((one: { name: string; version: number }) => [one.name, one.version]),
  ).toEqual([
    ["goals", 2],
    ["goals", 1],
    ["other", 1],
  ]);
  expect(await browser.get(`/schemas/${first.id}`)).toEqual({ ...first, schema: '{"a": ', instructions: null });
  expect((await stranger.get("/schemas")).schemas).toEqual([]);
  for (const method of ["GET", "DELETE"]) {
    expect((await stranger.send(method, `/schemas/${first.id}`)).status).toBe(404);
  }
  expect((await browser.send("DELETE", `/schemas/${first.id}`)).status).toBe(204);
  // The next version does not take the number of a deleted one that is older.
  expect((await save("{}")).version).toBe(3);
  expect(
    (await failure(browser.send("POST", "/schemas", { body: { name: " ", schema: "", instructions: null } }))).code,
  ).toBe("invalid_request");
  await browser.send("DELETE", "/account");
  expect(await listSavedSchemas(site.db, accountId)).toEqual([]);
});

test("jobs are found by the name of their file, the beginning of their id and any of their texts", async () => {
  const { browser, accountId } = await site.signedIn();
  const { browser: stranger } = await site.signedIn();
  const form = new FormData();
  form.set("schema", '{"Zebra": "string"}');
  form.set("instructions", "Wanda's 100 % of it");
  form.set("video", new File(["not a video"], "Cup \u202Eüfinal.mp4"));
  const held = await browser.send("POST", "/extract", { body: form, headers: { accept: "text/event-stream" } });
  const id = held.headers.get("job-id") ?? "";
  await answerJob(site.db, { id, accountId }, '{"Zebra": "stripes"}');
  await held.text();
  await endedJob(site.db, accountId);
  const titles = async (q: string, from = browser) => {
    const { jobs } = await from.get(`/jobs?q=${encodeURIComponent(q)}`);
    return jobs.map(({ title }: { title: string | null }) => title);
  };
  for (const q of [id.slice(0, 8), "cup üFINAL", "zebra", "100 %", "wanda", "STRIPES"])
    expect([q, await titles(q)]).toEqual([q, ["Cup üfinal.mp4"]]);
  for (const q of ["100%", "_up", "%", "nowhere"])
    expect([q, (await titles(q)).includes("Cup üfinal.mp4")]).toEqual([q, q === "%"]);
  expect(await titles("cup", stranger)).toEqual([]);
  expect((await browser.get(`/jobs/${id}`)).title).toBe("Cup üfinal.mp4");
  expect((await failure(browser.send("GET", "/jobs?q="))).code).toBe("invalid_request");
  await browser.send("DELETE", `/jobs/${id}`);
  expect(await titles("cup")).toEqual([]);
  expect(await findAnyJob(site.db, id)).toMatchObject({ title: null });
});

test("the page finds the job of an idempotency key of its own account only, and none that was deleted", async () => {
  const { browser, accountId } = await site.signedIn();
  const [key, jobId] = [randomUUID(), await endedJob(site.db, accountId)];
  const find = async (from = browser) => (await from.send("GET", `/runs/${key}`)).json();
  const unknown = { error: { code: "not_found" } };
  expect(await find()).toMatchObject(unknown);
  await site.db.transaction((tx) => saveIdempotencyKey(tx, { accountId, key, jobId, requestHash: "" }));
  expect(await find()).toEqual({ job_id: jobId });
  expect(await find((await site.signedIn()).browser)).toMatchObject(unknown);
  await browser.send("DELETE", `/jobs/${jobId}`);
  expect(await find()).toMatchObject(unknown);
});

test("the ledger has a balance after every row, on every page and in the download", async () => {
  const { browser, accountId } = await site.signedIn();
  const keyId = (
    await browser.json("POST", "/keys", { name: "=1+1", scope: "extract", monthly_limit_minutes: null, ends_at: null })
  ).record.id;
  const jobs = [await endedJob(site.db, accountId, { keyId }), await endedJob(site.db, accountId)];
  await grant(site.db, { accountId, seconds: 300, reference: `=HYPERLINK("http://evil.example","a,b") ${accountId}` });
  const all = (await browser.get("/ledger")).entries;
  expect(all.map(({ seconds, balance_after }: LedgerEntry) => [seconds, balance_after])).toEqual([
    [300, 1980],
    [-60, 1680],
    [-60, 1740],
    [1800, 1800],
  ]);
  expect(all.map(({ job_id }: LedgerEntry) => job_id)).toEqual([null, jobs[1], jobs[0], null]);
  expect(all[3].note).toBe("Free minutes");
  const paged: unknown[] = [];
  for (let cursor = ""; ; ) {
    const page = await browser.get(`/ledger?limit=1${cursor}`);
    paged.push(...page.entries);
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  expect(paged).toEqual(all);
  const csv = await browser.send("GET", "/ledger.csv");
  expect([csv.headers.get("content-type"), csv.headers.get("content-disposition")]).toEqual([
    "text/csv; charset=utf-8",
    "attachment; filename=video-to-json-ledger.csv",
  ]);
  const lines = (await csv.text()).split("\r\n");
  expect(lines).toHaveLength(6);
  expect(lines[0]).toBe("id,created_at,kind,seconds,balance_after,job_id,note");
  expect(lines[1]).toMatch(/,grant,300,1980,,"'=HYPERLINK\(""http:\/\/evil\.example"",""a,b""\) /);
  expect(lines[2]).toContain(`,debit,-60,1680,${jobs[1]},`);
});

test("usage counts by day, outcome and key, and the month's figures are the same", async () => {
  const { browser, accountId } = await site.signedIn();
  const keyId = (
    await browser.json("POST", "/keys", { name: "one", scope: "extract", monthly_limit_minutes: null, ends_at: null })
  ).record.id;
  await endedJob(site.db, accountId, { keyId });
  await endedJob(site.db, accountId, { keyId });
  await endedJob(site.db, accountId);
  await endedJob(site.db, accountId, { fails: true });
  const usage = await browser.get("/usage");
  expect(usage.days).toHaveLength(30);
  const today = usage.days.at(-1);
  expect(today).toMatchObject({ day: usage.to, succeeded: 3, failed: 1, succeeded_seconds: 180, failed_seconds: 0 });
  expect(today.keys).toHaveLength(2);
  expect(today.keys).toContainEqual({
    key_id: keyId,
    succeeded: 2,
    failed: 0,
    succeeded_seconds: 120,
    failed_seconds: 0,
  });
  expect(today.keys).toContainEqual({
    key_id: null,
    succeeded: 1,
    failed: 1,
    succeeded_seconds: 60,
    failed_seconds: 0,
  });
  expect(usage.keys).toEqual([expect.objectContaining({ id: keyId, name: "one" })]);
  expect((await browser.get("/overview")).month).toEqual({ billed_seconds: 180, succeeded: 3, failed: 1 });
  for (const query of ["from=2026-02-30", "from=2026-01-02&to=2026-01-01", "from=2020-01-01", "to=yesterday"]) {
    expect((await failure(browser.send("GET", `/usage?${query}`))).code, query).toBe("invalid_request");
  }
});

test("jobs are filtered by status, code, key and day, and each filter pages through all of its jobs once", async () => {
  const { browser, accountId } = await site.signedIn();
  const keyId = (
    await browser.json("POST", "/keys", { name: "one", scope: "extract", monthly_limit_minutes: null, ends_at: null })
  ).record.id;
  const good = [await endedJob(site.db, accountId, { keyId }), await endedJob(site.db, accountId)];
  const bad = [
    await endedJob(site.db, accountId, { keyId, fails: true }),
    await endedJob(site.db, accountId, { fails: true }),
  ];
  const today = new Date().toISOString().slice(0, 10);
  const found = async (query: string) => {
    const ids: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await browser.get(`/jobs?limit=1&${query}${cursor}`);
      ids.push(...page.jobs.map(({ id }: { id: string }) => id));
      if (page.next_cursor === null) return ids;
      cursor = `&cursor=${page.next_cursor}`;
    }
  };
  expect(await found("")).toEqual([...good, ...bad].reverse());
  expect(await found("status=succeeded")).toEqual([...good].reverse());
  expect(await found("code=extraction_failed")).toEqual([...bad].reverse());
  expect(await found("code=extraction_failed&status=succeeded")).toEqual([]);
  expect(await found(`key_id=${keyId}`)).toEqual([bad[0], good[0]]);
  expect(await found("key_id=playground")).toEqual([bad[1], good[1]]);
  expect(await found(`key_id=${keyId}&status=failed&code=extraction_failed&from=${today}&to=${today}`)).toEqual([
    bad[0],
  ]);
  expect(await found("from=2099-01-01")).toEqual([]);
  expect(await found("to=2020-01-01")).toEqual([]);
  const listed = (await browser.get(`/jobs?key_id=${keyId}&status=failed`)).jobs[0];
  expect(listed).toMatchObject({ error: { code: "extraction_failed" }, key: { id: keyId, name: "one" } });
  expect(await browser.get(`/jobs/${bad[0]}`)).toMatchObject({
    error: { details: ["/b: is missing"] },
    data_text: null,
  });
  for (const query of ["status=done", "code=oops", "key_id=1", "from=x", "limit=0", "cursor=x"]) {
    expect((await failure(browser.send("GET", `/jobs?${query}`))).code, query).toBe("invalid_request");
  }
});

test("an extraction of the playground is charged once and appears in the jobs, the ledger and the balance", async () => {
  const { browser, accountId } = await site.signedIn();
  const call = openHeldCall(
    `${site.url}/dashboard/api`,
    { cookie: browser.cookie() ?? "", origin: site.url },
    { path: "/extract" },
  );
  const { response, text } = await call;
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const id = response.headers.get("job-id") ?? "";
  const counts = { confirmed: 2, moved: 1, contradicted: 0, unconfirmed: 0, not_checked: 0 };
  await answerJob(site.db, { id, accountId }, '{"a":"b"}', undefined, counts);
  expect(await text).toContain(`event: result\ndata: {"id":"${id}"`);
  expect((await browser.get("/ledger")).entries.filter(({ job_id }: LedgerEntry) => job_id === id)).toHaveLength(1);
  expect(await browser.get("/overview")).toMatchObject({ balance_seconds: 1740, recent_jobs: [{ id, key: null }] });
  expect(await browser.get(`/jobs/${id}`)).toMatchObject({
    status: "succeeded",
    billed_seconds: 60,
    schema_text: '{"a":"string"}',
    second_look: counts,
  });
});

test("an extraction of the playground is refused as one of the API: schema, minutes, jobs at once", async () => {
  const { browser, accountId } = await site.signedIn();
  const extract = (schema: unknown) =>
    failure(browser.send("POST", "/extract", { body: { schema, video_url: "http://127.0.0.1:1/v.mp4" } }));
  expect(await extract({ a: null })).toMatchObject({ status: 400, code: "schema_invalid" });
  await site.db.execute(`update accounts set max_jobs = 0 where id = '${accountId}'`);
  expect(await extract({ a: "string" })).toMatchObject({ status: 429, code: "too_many_jobs" });
  const form = new FormData();
  form.set("schema", '{"a":"string"}');
  expect(await failure(browser.send("POST", "/extract", { body: form }))).toMatchObject({
    status: 400,
    code: "video_missing",
  });
  await site.db.execute(
    `insert into ledger (account_id, seconds, kind, job_id) values ('${accountId}', -1790, 'debit', gen_random_uuid())`,
  );
  expect(await extract({ a: "string" })).toMatchObject({ status: 402, code: "out_of_minutes" });
});

test("a schema is checked while it is typed: its JSON Schema, its doubts, and its faults with their places", async () => {
  const { browser } = await site.signedIn();
  const check = (schema: string) => browser.json("POST", "/schema/check", { schema });
  const good = await check('{"10": "string", "2?": 0.0}');
  expect(good).toMatchObject({ kind: "sketch", errors: [], warnings: [] });
  expect(good.json_schema).toMatch(/"10".*"2"/);
  const text = '{"goals": [ {"at": "timestamp", "by?": "string|null"} ]}';
  const [error] = (await check(text)).errors;
  expect(error.pointer).toBe("/goals/0/by?");
  expect(text.slice(error.place.from, error.place.to)).toBe('"string|null"');
  const broken = '{\n  "a": string\n}';
  const [syntax] = (await check(broken)).errors;
  expect(broken.slice(syntax.place.from)).toMatch(/^string/);
  const doubtful = await check('{"score": "integer (0-10)"}');
  expect(doubtful.warnings).toEqual([{ pointer: "/score", reason: expect.any(String), place: { from: 10, to: 26 } }]);
  expect(await check('{"type": "goal"}')).toMatchObject({
    kind: "json_schema",
    json_schema: null,
    errors: [{ pointer: "/type" }],
  });
});

test("retention is set and shown, and only the choices of the page are taken", async () => {
  const { browser } = await site.signedIn();
  for (const days of [30, 7, 1, null]) {
    expect(await browser.json("PUT", "/account/retention", { days })).toEqual({ days });
    expect((await browser.get("/session")).retention_days).toBe(days);
  }
  for (const days of [0, 2, "7", -1]) {
    expect((await failure(browser.send("PUT", "/account/retention", { body: { days } }))).code).toBe("invalid_request");
  }
});

test("a deleted account is gone at once, and the same address gets a new one without free minutes", async () => {
  const { browser, email, accountId } = await site.signedIn();
  const { key } = await browser.json("POST", "/keys", {
    name: "k",
    scope: "extract",
    monthly_limit_minutes: null,
    ends_at: null,
  });
  const jobId = await endedJob(site.db, accountId);
  const cookie = browser.cookie();
  expect((await browser.send("DELETE", "/account")).status).toBe(204);
  expect(browser.cookie()).toBeUndefined();
  browser.setCookie(cookie);
  expect((await browser.send("GET", "/session")).status).toBe(401);
  expect((await fetch(`${site.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(401);
  const [job] = await site.db.execute(
    `select schema::text as schema, data::text as data from jobs where id = '${jobId}'`,
  );
  expect(job).toEqual({ schema: "{}", data: "null" });
  const [row] = await site.db.execute(`select count(*)::int as rows from ledger where account_id = '${accountId}'`);
  expect(row).toEqual({ rows: 2 });
  const { browser: again, accountId: newId } = await site.signedIn(email);
  expect(newId).not.toBe(accountId);
  expect(await again.get("/overview")).toMatchObject({ balance_seconds: 0, granted_seconds: 0, key_count: 0 });
});

test("the deleted contents of a job cannot be read anywhere", async () => {
  const { browser, accountId } = await site.signedIn();
  const id = await endedJob(site.db, accountId);
  expect((await browser.send("DELETE", `/jobs/${id}`)).status).toBe(204);
  expect((await browser.send("GET", `/jobs/${id}`)).status).toBe(404);
  expect((await browser.send("DELETE", `/jobs/${id}`)).status).toBe(404);
  expect((await browser.get("/jobs")).jobs).toEqual([]);
  expect((await browser.get("/ledger")).entries[0]).toMatchObject({ job_id: id, seconds: -60 });
});

test("the status of the service needs no session and names no account", async () => {
  const status = await site.newBrowser().get("/status");
  expect(status).toEqual({
    queue_wait_seconds: expect.any(Number),
    provider: { reachable: expect.toBeOneOf([true, false, null]), since: expect.toBeOneOf([expect.any(String), null]) },
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
});
