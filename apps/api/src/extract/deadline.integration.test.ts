import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const tenMinutesMs = 600_000;

/** Shifts the clock of this process until the end of the test. */
function shiftClock(byMs: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + byMs });
  onTestFinished(() => void vi.useRealTimers());
}

async function newRequest(email: string) {
  const { headers } = await api.newCaller(email);
  const body = JSON.stringify({ schema: { a: "string" }, video_url: "https://example.com/v.mp4" });
  const init = { method: "POST", headers: { ...headers, "content-type": "application/json", "idempotency-key": "k" } };
  return (signal?: AbortSignal) => fetch(`${api.url}/v1/extract`, { ...init, body, ...(signal ? { signal } : {}) });
}

test("an API whose clock is ahead fails no job before its deadline", async () => {
  const request = await newRequest("ahead@example.com");
  shiftClock(tenMinutesMs);
  const gone = new AbortController();
  const answer = request(gone.signal).then(
    ({ status }) => status,
    () => "none",
  );
  await expect.poll(async () => (await Promise.race([answer, undefined])) ?? api.openWaits()).toBe(1);
  gone.abort();
  expect(await answer).toBe("none");
});

test("an API whose clock is behind fails a job at its deadline", async () => {
  const request = await newRequest("behind@example.com");
  const gone = new AbortController();
  const first = request(gone.signal).catch(() => {});
  await expect.poll(api.openWaits).toBe(1);
  gone.abort();
  await first;
  await expect.poll(api.openWaits).toBe(0);
  await api.db.execute("update jobs set deadline_at = now() where status = 'queued'");
  shiftClock(-tenMinutesMs);
  expect((await failure(request())).code).toBe("too_many_jobs");
});
