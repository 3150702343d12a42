import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { afterEach, expect, test } from "vitest";

let service: Service | undefined;
afterEach(async () => {
  await service?.[Symbol.asyncDispose]();
  service = undefined;
});

test("a request whose worker is killed gets its answer, for one charge", async () => {
  service = await startService({ workers: 1 });
  await service.emulator.setFaults([{ on: "generate", kind: "hang", times: 1 }]);
  const before = await service.secondsRemaining();
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.generate": 1 });
  process.kill(service.processOf("worker-1").pid, "SIGKILL");
  await service.startWorker();
  const { status, body } = await answer;
  expect([status, body.data]).toEqual([200, { main_color: "red" }]);
  expect(before - (await service.secondsRemaining())).toBe(60);
  await untilNothingIsLeft(service);
});

test("a job whose caller disconnects finishes, is charged once and is read by its key", async () => {
  service = await startService();
  const key = { "idempotency-key": "gone" };
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1000 }]);
  const gone = new AbortController();
  const lost = service.extract({}, key, gone.signal);
  await service.emulator.waitFor({ "requests.generate": 1 });
  gone.abort();
  await expect(lost).rejects.toThrow();
  const { status, headers } = await service.extract({}, key);
  expect([status, headers.get("job-id") !== null]).toEqual([200, true]);
  expect(await service.secondsRemaining()).toBe(1740);
  await untilNothingIsLeft(service);
});

test("a stopping worker requeues its job, and another worker finishes it", async () => {
  service = await startService({ workers: 2, env: { SHUTDOWN_GRACE_SECONDS: "0", WORKER_CONCURRENCY: "1" } });
  await service.emulator.setFaults([{ on: "generate", kind: "hang", times: 1 }]);
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.generate": 1 });
  // Either worker may have the job: both stop, one after the other, and a new one takes over.
  await service.startWorker();
  for (const name of ["worker-1", "worker-2"]) process.kill(service.processOf(name).pid, "SIGTERM");
  expect((await answer).status).toBe(200);
  expect(await service.secondsRemaining()).toBe(1740);
  await untilNothingIsLeft(service);
});

test("a job without an answer of the provider in time fails as provider_unavailable, uncharged", async () => {
  service = await startService({ env: { JOB_TIMEOUT_SECONDS: "3" } });
  await service.emulator.setFaults([{ on: "generate", kind: "hang", times: -1 }]);
  const { status, body, headers } = await service.extract();
  expect([status, body.error.code]).toEqual([503, "provider_unavailable"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await service.secondsRemaining()).toBe(1800);
  await untilNothingIsLeft(service);
});

test("a delay of the provider that exceeds the deadline is passed to the caller at once", async () => {
  service = await startService({ env: { JOB_TIMEOUT_SECONDS: "20" } });
  await service.emulator.setFaults([{ on: "generate", kind: "status", status: 429, retryDelay: "100s", times: -1 }]);
  const { status, body, headers } = await service.extract();
  expect([status, body.error.code]).toEqual([503, "provider_unavailable"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(100);
  await untilNothingIsLeft(service);
});

test("a job that no worker claims in time fails as too_many_jobs, uncharged", async () => {
  service = await startService({ workers: 0, env: { JOB_TIMEOUT_SECONDS: "2" } });
  const { status, body } = await service.extract();
  expect([status, body.error.code]).toEqual([429, "too_many_jobs"]);
  expect(await service.secondsRemaining()).toBe(1800);
});

test("a stopping API answers its open requests before it ends", async () => {
  service = await startService();
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1000 }]);
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.generate": 1 });
  process.kill(service.processOf("api-1").pid, "SIGTERM");
  expect((await answer).status).toBe(200);
  await expect.poll(() => isAlive(service?.processOf("api-1").pid ?? 0)).toBe(false);
});

test("a job survives the loss of all data of the queue", async () => {
  service = await startService();
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 3000, times: 1 }]);
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.generate": 1 });
  await service.forgetQueue();
  const { status } = await answer;
  expect(status).toBe(200);
  expect(await service.secondsRemaining()).toBe(1740);
  await untilNothingIsLeft(service);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
