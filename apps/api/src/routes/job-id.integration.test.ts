import { listJobs, markCleanedUp } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/database/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ jobTimeoutSeconds: 5 });
});
afterAll(() => api[Symbol.asyncDispose]());

/** Requests an extraction that no worker runs. Returns its response, when it comes, and the id of its job. */
async function startExtraction(email: string, idempotencyKey = "key") {
  const { accountId, headers } = await api.newCaller(email);
  const post = () =>
    fetch(`${api.url}/v1/extract`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "idempotency-key": idempotencyKey },
      body: '{"schema":{"a":"string"},"video_url":"http://127.0.0.1:1/v.mp4"}',
    });
  const newest = async () => (await listJobs(api.db, { accountId, limit: 1, maxDataBytes: 0 }))[0]?.id;
  const answer = failure(post());
  await expect.poll(newest).toBeDefined();
  return { answer, post, headers, jobId: (await newest()) ?? "" };
}

const jobIdOf = ({ headers }: { headers: { get(name: string): string | null } }) => headers.get("job-id");

test("every response that waited for an overdue job names it, and so does the response with its record", async () => {
  const { answer, post, headers, jobId } = await startExtraction("late@example.com");
  const joined = failure(post());
  for (const late of [await answer, await joined]) expect([late.code, jobIdOf(late)]).toEqual(["too_many_jobs", jobId]);
  expect(jobIdOf(await fetch(`${api.url}/v1/jobs/${jobId}`, { headers }))).toBe(jobId);
  expect(jobIdOf(await fetch(`${api.url}/v1/jobs/${jobId.toUpperCase()}`, { headers }))).toBe(jobId);
});

test.each(["extraction_failed", "provider_unavailable", "internal_error"] as const)(
  "the response names a job that failed with %s",
  async (code) => {
    const { answer, jobId } = await startExtraction(`${code}@example.com`);
    await failAndRelease(api.db, { jobId, error: { code, message: "Retry." } });
    await markCleanedUp(api.db, jobId);
    const failed = await answer;
    expect([failed.code, jobIdOf(failed)]).toEqual([code, jobId]);
  },
);

test("a request that fails with internal_error after its job was admitted names the job", async () => {
  const { answer, jobId } = await startExtraction("gone@example.com");
  await api.db.execute(`delete from jobs where id = '${jobId}'`);
  const broken = await answer;
  expect([broken.status, broken.code, jobIdOf(broken)]).toEqual([500, "internal_error", jobId]);
});

test("a response without a job has no Job-Id", async () => {
  const { headers } = await api.newCaller("none@example.com");
  const refused = await fetch(`${api.url}/v1/extract`, { method: "POST", headers, body: new FormData() });
  expect([refused.status, jobIdOf(refused)]).toEqual([400, null]);
  expect(jobIdOf(await fetch(`${api.url}/v1/me`, { headers }))).toBeNull();
});
