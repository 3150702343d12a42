import { listJobs, markCleanedUp } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/ledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ jobTimeoutSeconds: 5 });
});
afterAll(() => api[Symbol.asyncDispose]());

/** Asks for an extraction that nobody works on; gives the answer to come, and the id of its job. */
async function ask(email: string, idempotencyKey = "key") {
  const { accountId, headers } = await api.newCaller(email);
  const post = () =>
    fetch(`${api.url}/v1/extract`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "idempotency-key": idempotencyKey },
      body: '{"schema":{"a":"string"},"video_url":"http://127.0.0.1:1/v.mp4"}',
    });
  const newest = async () => (await listJobs(api.db, { accountId, limit: 1, maxBytes: 1e6 }))[0]?.id;
  const answer = failure(post());
  await expect.poll(newest).toBeDefined();
  return { answer, post, headers, jobId: (await newest()) ?? "" };
}

const jobIdOf = ({ headers }: { headers: { get(name: string): string | null } }) => headers.get("job-id");

test("a job that ends at its deadline is named by the answers to all who waited, and by its record", async () => {
  const { answer, post, headers, jobId } = await ask("late@example.com");
  const joined = failure(post());
  for (const late of [await answer, await joined]) expect([late.code, jobIdOf(late)]).toEqual(["too_many_jobs", jobId]);
  expect(jobIdOf(await fetch(`${api.url}/v1/jobs/${jobId}`, { headers }))).toBe(jobId);
  expect(jobIdOf(await fetch(`${api.url}/v1/jobs/${jobId.toUpperCase()}`, { headers }))).toBe(jobId);
});

test.each(["extraction_failed", "provider_unavailable", "internal_error"] as const)(
  "a job that ended as %s is named by the answer",
  async (code) => {
    const { answer, jobId } = await ask(`${code}@example.com`);
    await failAndRelease(api.db, { jobId, error: { code, message: "Retry." } });
    await markCleanedUp(api.db, jobId);
    const ended = await answer;
    expect([ended.code, jobIdOf(ended)]).toEqual([code, jobId]);
  },
);

test("a request that fails on our side after its job was admitted names the job", async () => {
  const { answer, jobId } = await ask("gone@example.com");
  await api.db.execute(`delete from jobs where id = '${jobId}'`);
  const broken = await answer;
  expect([broken.status, broken.code, jobIdOf(broken)]).toEqual([500, "internal_error", jobId]);
});

test("an answer without a job names none", async () => {
  const { headers } = await api.newCaller("none@example.com");
  const refused = await fetch(`${api.url}/v1/extract`, { method: "POST", headers, body: new FormData() });
  expect([refused.status, jobIdOf(refused)]).toEqual([400, null]);
  expect(jobIdOf(await fetch(`${api.url}/v1/me`, { headers }))).toBeNull();
});
