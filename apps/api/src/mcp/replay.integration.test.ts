import { eraseJob, markCleanedUp } from "@video-to-json/database";
import { balance, failAndRelease } from "@video-to-json/database/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";
import { answerJob } from "../extract/held-call.harness.ts";
import { allJobs, callTool, type Era, eras } from "./mcp-calls.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ jobTimeoutSeconds: 60 });
});
afterAll(() => api[Symbol.asyncDispose]());

const request = { video_url: "http://127.0.0.1:1/clip.mp4", schema: { title: "string" }, instructions: "look" };
type Caller = Awaited<ReturnType<typeof newCaller>>;
let callers = 0;
const newCaller = () => api.newCaller(`replay-${++callers}@example.com`);

const call = ({ headers }: Caller, args: object = request, era: Era = "modern", signal?: AbortSignal) =>
  callTool({ url: api.url, headers, era, signal }, "extract", JSON.stringify(args));

/** Calls until there is one more job, and returns the call. Its answer comes when the job has finished. */
async function newJob(caller: Caller, args: object = request, era: Era = "modern", signal?: AbortSignal) {
  const before = (await allJobs(api.db, caller.accountId)).length;
  const answer = call(caller, args, era, signal);
  await expect.poll(async () => (await allJobs(api.db, caller.accountId)).length, { interval: 20 }).toBe(before + 1);
  const [job] = await allJobs(api.db, caller.accountId);
  if (!job) throw new Error("no job");
  return { job, answer };
}

async function success(caller: Caller, args: object = request) {
  const { job, answer } = await newJob(caller, args);
  await answerJob(api.db, job, '{"title":"a"}');
  await answer;
  return job;
}

test.for(eras)("an identical call after a success repeats its answer, free, also when calls race (%s)", async (era) => {
  const caller = await newCaller();
  const { id } = await success(caller);
  const written = { ...request, schema: JSON.stringify(request.schema), video_url: ` ${request.video_url}` };
  for (const { result, jobId } of await Promise.all([call(caller, request, era), call(caller, written, era)])) {
    expect(result).toMatchObject({
      structuredContent: { id, data: { title: "a" }, billed_seconds: 60 },
      _meta: { "video-to-json/replayed": true, "video-to-json/job": { id } },
    });
    // After a second without a job, the head of the response is sent without its name.
    expect([id, null]).toContain(jobId);
  }
  expect(await allJobs(api.db, caller.accountId)).toHaveLength(1);
  expect(await balance(api.db, caller.accountId)).toBe(1740);
});

test("the answer of a first call is not marked as repeated", async () => {
  const caller = await newCaller();
  const { job, answer } = await newJob(caller, request, "legacy");
  await answerJob(api.db, job, '{"title":"a"}');
  expect((await answer).result?._meta).toEqual({ "video-to-json/job": { id: job.id } });
});

test("another call, another account, and REST without an idempotency key are never answered with an earlier success", async () => {
  const [caller, other] = [await newCaller(), await newCaller()];
  await success(caller);
  const gone = new AbortController();
  const answers = [
    (await newJob(caller, { ...request, instructions: "listen" }, "legacy", gone.signal)).answer,
    (await newJob(caller, { ...request, schema: { title: "integer" } }, "legacy", gone.signal)).answer,
    (await newJob(other, request, "legacy", gone.signal)).answer,
  ];
  const rest = fetch(`${api.url}/v1/extract`, {
    method: "POST",
    headers: { ...caller.headers, "content-type": "application/json" },
    body: JSON.stringify(request),
    signal: gone.signal,
  });
  await expect.poll(async () => (await allJobs(api.db, caller.accountId)).length, { interval: 20 }).toBe(4);
  gone.abort();
  await Promise.allSettled([...answers, rest]);
});

test.each(["failed", "deleted", "too old"])("a job that is %s is never repeated", async (how) => {
  const caller = await newCaller();
  const { accountId } = caller;
  if (how === "failed") {
    const { job, answer } = await newJob(caller);
    await failAndRelease(api.db, { jobId: job.id, error: { code: "extraction_failed", message: "No." } });
    await markCleanedUp(api.db, job.id);
    await answer;
  } else {
    const { id } = await success(caller);
    if (how === "deleted") await eraseJob(api.db, { id, accountId });
    else await api.db.execute(`update jobs set finished_at = now() - interval '601 s' where id = '${id}'`);
  }
  const gone = new AbortController();
  const { answer } = await newJob(caller, request, "legacy", gone.signal);
  gone.abort();
  await answer.catch(() => {});
});

test("no success is repeated if the setting is 0", async () => {
  const off = await startTestApi({ mcpReplaySeconds: 0 });
  try {
    const { headers, accountId } = await off.newCaller("off@example.com");
    const target = { url: off.url, headers, era: "modern" as const };
    const first = callTool(target, "extract", JSON.stringify(request));
    await expect.poll(async () => (await allJobs(off.db, accountId)).length, { interval: 20 }).toBe(1);
    const [job] = await allJobs(off.db, accountId);
    if (job) await answerJob(off.db, job, '{"title":"a"}');
    await first;
    const gone = new AbortController();
    const again = callTool({ ...target, signal: gone.signal }, "extract", JSON.stringify(request));
    await expect.poll(async () => (await allJobs(off.db, accountId)).length, { interval: 20 }).toBe(2);
    gone.abort();
    await again.catch(() => {});
  } finally {
    await off[Symbol.asyncDispose]();
  }
});
