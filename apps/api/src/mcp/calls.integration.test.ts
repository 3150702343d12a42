import { claimJob, findAnyJob, findJob, type JobRow, markCleanedUp } from "@video-to-json/database";
import { balance, hold, settle } from "@video-to-json/database/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";
import { allJobs, callTool, type Era, eras } from "./mcp-calls.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ jobTimeoutSeconds: 60 });
});
afterAll(() => api[Symbol.asyncDispose]());

const request = { video_url: "http://127.0.0.1:1/clip.mp4", schema: { title: "string" } };
type Caller = Awaited<ReturnType<typeof newCaller>>;
let callers = 0;
const newCaller = (freeSeconds?: number) => api.newCaller(`mcp-${++callers}@example.com`, freeSeconds);
const jobsOf = ({ accountId }: Caller) => allJobs(api.db, accountId);
const until = (condition: () => Promise<boolean>) => expect.poll(condition, { interval: 20 }).toBe(true);

/** Waits for the only job of an account. */
async function jobOf(caller: Caller): Promise<JobRow> {
  await until(async () => (await jobsOf(caller)).length > 0);
  const [job] = await jobsOf(caller);
  if (!job) throw new Error("no job");
  return job;
}

async function claimAndHold({ id, accountId }: JobRow) {
  const claimed = await claimJob(api.db, id);
  const job = { jobId: id, accountId, fence: claimed?.fence ?? 0 };
  expect(await hold(api.db, { ...job, seconds: 60 })).toBe("held");
  return job;
}

async function succeed(row: JobRow) {
  const job = await claimAndHold(row);
  await settle(api.db, { ...job, dataText: '{"title":"a"}', model: "model", billedSeconds: 60 });
  await markCleanedUp(api.db, row.id);
}

const call = (caller: Caller, args: unknown, era: Era, signal?: AbortSignal) =>
  callTool({ url: api.url, headers: caller.headers, era, signal }, "extract", JSON.stringify(args));

// The head of a response waits one second for its job. On a busy machine that may need another try.
test.for(eras)("identical calls in flight join one job and pay once (%s)", { retry: 2 }, async (era) => {
  const caller = await newCaller();
  const answers = [call(caller, request, era), call(caller, request, era), call(caller, request, era)];
  const job = await jobOf(caller);
  await until(async () => api.openWaits() === 3);
  await succeed(job);
  for (const { result, jobId } of await Promise.all(answers)) {
    expect(jobId, "the head of the response names the job").toBe(job.id);
    expect(result).toMatchObject({ structuredContent: { id: job.id, data: { title: "a" }, billed_seconds: 60 } });
  }
  expect(await jobsOf(caller)).toHaveLength(1);
  expect(await balance(api.db, caller.accountId)).toBe(1740);
});

test("a call does not join the job of a different call, or a job of another account", async () => {
  const [caller, other] = [await newCaller(), await newCaller()];
  const gone = new AbortController();
  const different = [
    request,
    { ...request, instructions: "look" },
    { ...request, schema: { title: "integer" } },
    { ...request, video_url: "http://127.0.0.1:1/other.mp4" },
  ];
  const calls = [
    ...different.map((args) => call(caller, args, "legacy", gone.signal)),
    call(other, request, "legacy", gone.signal),
  ];
  await until(async () => (await jobsOf(caller)).length === 4 && (await jobsOf(other)).length === 1);
  gone.abort();
  await Promise.allSettled(calls);
});

test("calls whose sketches differ in 0 and 0.0 are different", async () => {
  const caller = await newCaller();
  const gone = new AbortController();
  const calls = ["0", "0.0"].map((numeral) =>
    callTool(
      { url: api.url, headers: caller.headers, era: "legacy", signal: gone.signal },
      "extract",
      `{"video_url":"${request.video_url}","schema":{"10":"string","2":${numeral}}}`,
    ),
  );
  await until(async () => (await jobsOf(caller)).length === 2);
  expect((await jobsOf(caller)).map(({ schemaText }) => schemaText).sort()).toEqual([
    '{"10":"string","2":0.0}',
    '{"10":"string","2":0}',
  ]);
  gone.abort();
  await Promise.allSettled(calls);
});

test("closing the stream of a 2026 call cancels a queued job without charge, and no worker gets it", async () => {
  const caller = await newCaller();
  const gone = new AbortController();
  const answer = call(caller, request, "modern", gone.signal);
  const { id } = await jobOf(caller);
  gone.abort();
  await expect(answer).rejects.toThrow();
  await until(async () => (await findAnyJob(api.db, id))?.status === "failed");
  expect(JSON.parse((await findAnyJob(api.db, id))?.errorText ?? "")).toMatchObject({ code: "invalid_request" });
  expect(await claimJob(api.db, id)).toBeUndefined();
  expect(await balance(api.db, caller.accountId)).toBe(1800);
});

test("closing the stream of a 2026 call does not cancel a job with a hold: its answer is stored and charged", async () => {
  const caller = await newCaller();
  const gone = new AbortController();
  const answer = call(caller, request, "modern", gone.signal);
  const row = await jobOf(caller);
  const job = await claimAndHold(row);
  gone.abort();
  await expect(answer).rejects.toThrow();
  await until(async () => api.openWaits() === 0);
  expect((await findAnyJob(api.db, row.id))?.status).toBe("running");
  await settle(api.db, { ...job, dataText: '{"title":"a"}', model: "model", billedSeconds: 60 });
  const { result } = await callTool(
    { url: api.url, headers: caller.headers, era: "modern" },
    "recent_extractions",
    JSON.stringify({ id: row.id }),
  );
  expect(result).toMatchObject({ structuredContent: { extractions: [{ status: "succeeded", data: { title: "a" } }] } });
});

test("a caller that leaves a shared job does not cancel it for the others", async () => {
  const caller = await newCaller();
  const gone = new AbortController();
  const first = call(caller, request, "modern", gone.signal);
  const job = await jobOf(caller);
  const second = call(caller, request, "modern");
  await until(async () => api.openWaits() === 2);
  gone.abort();
  await expect(first).rejects.toThrow();
  await succeed(job);
  expect((await second).result).toMatchObject({ structuredContent: { id: job.id } });
});

test("when all 2026 calls of a job are closed it is cancelled, unless a 2025 call waits for it too", async () => {
  for (const [era, status] of [
    ["modern", "failed"],
    ["legacy", "queued"],
  ] as const) {
    const caller = await newCaller();
    const closing = [new AbortController(), new AbortController()];
    const calls = [call(caller, request, "modern", closing[0]?.signal)];
    const { id } = await jobOf(caller);
    calls.push(call(caller, request, era, closing[1]?.signal));
    await until(async () => api.openWaits() === 2);
    for (const gone of closing) gone.abort();
    await Promise.allSettled(calls);
    await until(async () => api.openWaits() === 0 && (await findAnyJob(api.db, id))?.status === status);
    if (status === "failed") continue;
    await succeed(await jobOf(caller));
  }
});

test("a 2025 client that disconnects cancels nothing", async () => {
  const caller = await newCaller();
  const gone = new AbortController();
  const answer = call(caller, request, "legacy", gone.signal);
  const { id, accountId } = await jobOf(caller);
  gone.abort();
  await expect(answer).rejects.toThrow();
  await until(async () => api.openWaits() === 0);
  expect((await findJob(api.db, { id, accountId }))?.status).toBe("queued");
});

test.for(eras)("failures are tool errors with our codes and no structure (%s)", async (era) => {
  const [caller, poor] = [await newCaller(), await newCaller(59)];
  const cases: [Caller, string, string, string][] = [
    [caller, "extract", "{}", "schema_missing"],
    [caller, "extract", '{"schema":{"a":"string"}}', "video_missing"],
    [caller, "extract", '{"schema":{"a":"string"},"video_url":null}', "video_missing"],
    [caller, "extract", '{"schema":{"a":"string"},"video_url":5}', "invalid_request"],
    [caller, "extract", '{"schema":"text","video_url":"http://a.example"}', "schema_invalid"],
    [caller, "extract", '{"schema":{"a":null},"video_url":"http://a.example"}', "schema_invalid"],
    [caller, "extract", '{"schema":{"a":"string"},"video_url":"http://10.0.0.1/a"}', "video_unreachable"],
    [
      caller,
      "extract",
      '{"schema":{"a":"string"},"video_url":"http://a.example","instructions":[]}',
      "invalid_request",
    ],
    [caller, "extract", "[]", "invalid_request"],
    [poor, "extract", JSON.stringify(request), "out_of_minutes"],
    [caller, "recent_extractions", '{"limit":51}', "invalid_request"],
    [caller, "recent_extractions", '{"limit":"ten"}', "invalid_request"],
    [caller, "recent_extractions", '{"id":"x"}', "invalid_request"],
    [caller, "recent_extractions", '{"id":"6f7c1c2e-0000-4000-8000-000000000000"}', "not_found"],
  ];
  for (const [who, tool, args, code] of cases) {
    const { result } = await callTool({ url: api.url, headers: who.headers, era }, tool, args);
    expect(result, `${tool} ${args}`).toMatchObject({
      isError: true,
      _meta: { "video-to-json/error": { code, retryable: false } },
    });
    expect(result?.structuredContent).toBeUndefined();
    const [{ text } = { text: "" }] = result?.content ?? [];
    expect(JSON.parse(text)).toMatchObject({ error: { code, message: expect.stringMatching(/\w/) } });
  }
});

test("over the rate limit, an extraction is a tool error and another message gets 429 with Retry-After", async () => {
  const limited = await startTestApi({ extractionsPerMinute: 1, readsPerMinute: 1 });
  try {
    const { headers } = await limited.newCaller("limited@example.com");
    const extract = () => callTool({ url: limited.url, headers, era: "legacy" }, "extract", "{}");
    expect((await extract()).code).toBe("schema_missing");
    expect((await extract()).code).toBe("rate_limited");
    const list = () =>
      fetch(`${limited.url}/v1/mcp`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });
    await (await list()).text();
    const refused = await list();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await refused.json()).toMatchObject({ error: { code: "rate_limited" } });
  } finally {
    await limited[Symbol.asyncDispose]();
  }
});
