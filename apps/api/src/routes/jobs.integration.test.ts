import { randomUUID } from "node:crypto";
import { failAndRelease, replayChange } from "@video-to-json/database/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";
import { answerJob, openHeldCall } from "../extract/held-call.harness.ts";

type List = { jobs: { id: string; status: string; error: unknown }[]; next_cursor: string | null };

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ readsPerMinute: 10_000, maxJobsPerAccount: 100 });
});
afterAll(() => api[Symbol.asyncDispose]());

const newCaller = () => api.newCaller(`${randomUUID()}@example.com`);
type Caller = Awaited<ReturnType<typeof newCaller>>;
const get = ({ headers }: Caller, path: string) => fetch(api.url + path, { headers });
const read = async (caller: Caller, path: string) =>
  (await (await get(caller, path)).json()) as Record<string, unknown>;
const list = async (caller: Caller, query = "") => (await (await get(caller, `/v1/jobs${query}`)).json()) as List;
const remove = ({ headers }: Caller, id: string) => fetch(`${api.url}/v1/jobs/${id}`, { method: "DELETE", headers });

/** Inserts failed jobs as fast as possible, so that several have the same time. Returns their ids. */
async function insertJobs({ accountId }: Caller, count: number, age = "0 s"): Promise<string[]> {
  const rows = await api.db.execute<{ id: string }>(`
    insert into jobs (id, account_id, status, created_at, finished_at, deadline_at, schema, has_upload, request_hash, error)
    select gen_random_uuid(), '${accountId}', 'failed', now() - interval '${age}' - i / 3 * interval '1 microsecond', now(),
      now(), '{}', false, 'h', '{"code":"extraction_failed","message":"m","details":["/a: x"]}'
    from generate_series(1, ${count}) i returning id`);
  return rows.map(({ id }) => id);
}

async function startJob(caller: Caller, headers: Record<string, string> = {}) {
  const call = await openHeldCall(api.url, { ...caller.headers, ...headers });
  return { call, id: call.response.headers.get("job-id") ?? "" };
}
const answer = ({ accountId }: Caller, id: string) => answerJob(api.db, { id, accountId }, '{"a":"secret"}');

test("a job of the list has the members of its record, without schema, instructions and data", async () => {
  const caller = await newCaller();
  const { call, id } = await startJob(caller);
  await answer(caller, id);
  await call.text;
  await insertJobs(caller, 1, "1 h");
  const { jobs, next_cursor } = await list(caller);
  const { schema, instructions, data, ...members } = await read(caller, `/v1/jobs/${id}`);
  expect([schema, instructions, data]).toEqual([{ a: "string" }, null, { a: "secret" }]);
  expect(jobs).toEqual([members, expect.objectContaining({ status: "failed", error: { code: "extraction_failed" } })]);
  expect(Object.keys(jobs[0] ?? {})).toEqual(Object.keys(members));
  expect(next_cursor).toBeNull();
});

test("pages list each job once, newest first, while further jobs arrive", async () => {
  const caller = await newCaller();
  const inserted = await insertJobs(caller, 50, "1 h");
  const seen: string[] = [];
  let query = "?limit=7";
  for (;;) {
    const page = await list(caller, query);
    seen.push(...page.jobs.map(({ id }) => id));
    await insertJobs(caller, 5);
    if (page.next_cursor === null) break;
    expect(page.jobs).toHaveLength(7);
    query = `?limit=7&cursor=${page.next_cursor}`;
  }
  expect(seen).toHaveLength(50);
  expect(new Set(seen)).toEqual(new Set(inserted));
  expect((await list(caller)).jobs).toHaveLength(20);
  expect((await list(caller, "?limit=100")).jobs).toHaveLength(90);
});

test("the list holds the jobs of one status, and never those of another account", async () => {
  const [caller, other] = [await newCaller(), await newCaller()];
  await insertJobs(caller, 3);
  const { id, call } = await startJob(caller);
  expect((await list(caller, "?status=queued")).jobs).toMatchObject([{ id, status: "queued" }]);
  expect((await list(caller, "?status=failed")).jobs).toHaveLength(3);
  expect((await list(caller, "?status=running")).jobs).toEqual([]);
  expect((await list(caller)).jobs[0]?.id).toBe(id);
  expect(await list(other)).toEqual({ jobs: [], next_cursor: null });
  const { next_cursor } = await list(caller, "?limit=1");
  expect(await list(other, `?cursor=${next_cursor}`)).toEqual({ jobs: [], next_cursor: null });
  await answer(caller, id);
  await call.text;
});

test.each([
  "limit=0",
  "limit=101",
  "limit=-1",
  "limit=1.5",
  "limit=",
  "limit=1&limit=2",
  "cursor=",
  "cursor=x",
  "cursor=1&cursor=2",
  `cursor=${Buffer.from("1.2").toString("base64url")}`,
  `cursor=${Buffer.from(`99999999999999999.${randomUUID()}`).toString("base64url")}`,
  `cursor=${Buffer.from(`1.${randomUUID()}.`).toString("base64url")}`,
  "status=done",
  "status=",
  "status=failed&status=queued",
])("a list with %s is an invalid request that says what to send", async (query) => {
  const caller = await newCaller();
  const { status, code, error } = await failure(get(caller, `/v1/jobs?${query}`));
  expect([status, code]).toEqual([400, "invalid_request"]);
  expect(error.message).toMatch(/^`(limit|cursor|status)` is wrong\. Send /);
});

test("a cursor after all jobs and one before all jobs list the jobs that follow them", async () => {
  const caller = await newCaller();
  await insertJobs(caller, 2);
  const at = (micros: string) => Buffer.from(`${micros}.${randomUUID()}`).toString("base64url");
  expect((await list(caller, `?cursor=${at("9999999999999999")}`)).jobs).toHaveLength(2);
  expect((await list(caller, `?cursor=${at("0")}`)).jobs).toEqual([]);
});

test("a deleted job is gone for its callers, and nothing of its contents is left in the database", async () => {
  const caller = await newCaller();
  const key = { "idempotency-key": "k" };
  const { call, id } = await startJob(caller, key);
  await answer(caller, id);
  await call.text;
  const balance = async () => (await read(caller, "/v1/me")).seconds_remaining;
  const before = await balance();
  const deletion = await remove(caller, id.toUpperCase());
  expect([deletion.status, deletion.headers.get("job-id"), await deletion.text()]).toEqual([204, id, ""]);
  expect((await failure(get(caller, `/v1/jobs/${id}`))).code).toBe("not_found");
  expect((await failure(remove(caller, id))).code).toBe("not_found");
  expect((await list(caller)).jobs).toEqual([]);
  expect((await list(caller, "?status=succeeded")).jobs).toEqual([]);
  const [row] = await api.db.execute(`select row_to_json(jobs)::text as text from jobs where id = '${id}'`);
  expect(row?.text).not.toMatch(/secret|string/);
  expect(await balance()).toBe(before);

  // Its Idempotency-Key never pays again.
  const { call: again } = await startJob(caller, key);
  expect(again.response.status).toBe(404);
  expect(JSON.parse(await again.text)).toMatchObject({
    error: { code: "not_found", message: expect.stringContaining(id) },
  });
});

test("the details of a deleted job are erased, and it still counts as failed work", async () => {
  const caller = await newCaller();
  const [id = ""] = await insertJobs(caller, 1);
  expect((await remove(caller, id)).status).toBe(204);
  const [row] = await api.db.execute(`select error::text as error from jobs where id = '${id}'`);
  expect(JSON.parse(String(row?.error))).toEqual({ code: "extraction_failed", message: "" });
});

test("only a finished job of the own account can be deleted", async () => {
  const [caller, other] = [await newCaller(), await newCaller()];
  const { call, id } = await startJob(caller);
  const refused = await failure(remove(caller, id));
  expect([refused.status, refused.code]).toEqual([400, "invalid_request"]);
  expect(refused.error.message).toContain("queued or running");
  await failAndRelease(api.db, { jobId: id, error: { code: "internal_error", message: "m" } });
  await call.text;
  for (const stranger of [id, randomUUID()]) {
    expect((await failure(remove(other, stranger))).code).toBe("not_found");
  }
  expect((await failure(remove(caller, "1"))).code).toBe("invalid_request");
  expect((await get(caller, `/v1/jobs/${id}`)).status).toBe(200);
  expect((await remove(caller, id)).status).toBe(204);
});

test.each([
  ["uncharged", undefined, /nothing is charged/],
  ["charged, if the restored ledger has its debit", -90, /its charge of 90 s is in the ledger\. Ask the operator/],
] as const)("a restored service says of an unknown job that it is lost and %s", async (_charge, seconds, words) => {
  await using restored = await startTestApi({}, 30, 0, { restoredTo: "2027-01-31T18:00:00Z" });
  const caller = await restored.newCaller(`${randomUUID()}@example.com`);
  const jobId = randomUUID();
  const debit = { accountId: caller.accountId, seconds: seconds ?? -60, kind: "debit" as const };
  const change = { ...debit, id: "1", at: new Date().toISOString(), account_id: caller.accountId, job_id: jobId };
  if (seconds) await replayChange(restored.db, change, { code: "internal_error", message: "" });
  const path = `/v1/jobs/${jobId}`;
  for (const [method, url] of [
    ["GET", path],
    ["GET", `${path}/evidence`],
    ["DELETE", path],
  ] as const) {
    const { code, error } = await failure(fetch(`${restored.url}${url}`, { method, headers: caller.headers }));
    expect(code).toBe("not_found");
    expect(error.message).toMatch(/restored to its state of 2027-01-31T18:00:00Z/);
    expect(error.message).toMatch(words);
  }
});
