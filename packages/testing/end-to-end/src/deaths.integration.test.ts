import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { afterEach, expect, test } from "vitest";

let service: Service | undefined;
afterEach(async () => {
  await service?.[Symbol.asyncDispose]();
  service = undefined;
});

test("the request of a job whose worker is killed still gets its answer, once, for one charge", async () => {
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

test("a job whose caller went away is finished, charged once and read by its key", async () => {
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

test("a worker told to stop hands its job back, and another ends it", async () => {
  service = await startService({ workers: 2, env: { SHUTDOWN_GRACE_SECONDS: "0", WORKER_CONCURRENCY: "1" } });
  await service.emulator.setFaults([{ on: "generate", kind: "hang", times: 1 }]);
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.generate": 1 });
  // Whichever of the two holds the job: one after the other is told, and a new one takes over.
  await service.startWorker();
  for (const name of ["worker-1", "worker-2"]) process.kill(service.processOf(name).pid, "SIGTERM");
  expect((await answer).status).toBe(200);
  expect(await service.secondsRemaining()).toBe(1740);
  await untilNothingIsLeft(service);
});

test("a job that gets no answer in time ends as provider_unavailable, for nothing", async () => {
  service = await startService({ env: { JOB_TIMEOUT_SECONDS: "3" } });
  await service.emulator.setFaults([{ on: "generate", kind: "hang", times: -1 }]);
  const { status, body, headers } = await service.extract();
  expect([status, body.error.code]).toEqual([503, "provider_unavailable"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await service.secondsRemaining()).toBe(1800);
  await untilNothingIsLeft(service);
});

test("a delay that the analysis service asks for and that does not fit is passed on to the caller, at once", async () => {
  service = await startService({ env: { JOB_TIMEOUT_SECONDS: "20" } });
  await service.emulator.setFaults([{ on: "generate", kind: "status", status: 429, retryDelay: "100s", times: -1 }]);
  const { status, body, headers } = await service.extract();
  expect([status, body.error.code]).toEqual([503, "provider_unavailable"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(100);
  await untilNothingIsLeft(service);
});

test("a job that no worker takes in time ends as too_many_jobs, for nothing", async () => {
  service = await startService({ workers: 0, env: { JOB_TIMEOUT_SECONDS: "2" } });
  const { status, body } = await service.extract();
  expect([status, body.error.code]).toEqual([429, "too_many_jobs"]);
  expect(await service.secondsRemaining()).toBe(1800);
});

test("an API told to stop answers what it holds before it ends", async () => {
  service = await startService();
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1000 }]);
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.generate": 1 });
  process.kill(service.processOf("api-1").pid, "SIGTERM");
  expect((await answer).status).toBe(200);
  await expect.poll(() => isAlive(service?.processOf("api-1").pid ?? 0)).toBe(false);
});

test("a queue that loses everything while a job runs costs time, not the job", async () => {
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
