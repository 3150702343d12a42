import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { afterAll, beforeAll, expect, test } from "vitest";

// On a busy machine, a job takes several seconds.
const timeoutSeconds = 12;
let service: Service;
beforeAll(async () => {
  service = await startService({ env: { JOB_TIMEOUT_SECONDS: String(timeoutSeconds) } });
});
afterAll(() => service[Symbol.asyncDispose]());

async function expectUnavailable(): Promise<number> {
  const { status, body, headers } = await service.extract();
  expect([status, body.error.code]).toEqual([503, "provider_unavailable"]);
  return Number(headers.get("retry-after"));
}

test("a job without an answer of the provider in time fails as provider_unavailable, uncharged", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "hang", times: -1 }]);
  expect(await expectUnavailable()).toBeGreaterThan(0);
  expect(await service.secondsRemaining()).toBe(1800);
  await untilNothingIsLeft(service);
});

test("a delay of the provider that exceeds the deadline is passed to the caller at once", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "status", status: 429, retryDelay: "100s", times: -1 }]);
  expect(await expectUnavailable()).toBeGreaterThanOrEqual(100);
  await untilNothingIsLeft(service);
});

test("one 429 with a long Retry-After ends its own job and not those that wait", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "status", status: 429, retryDelay: "480s", times: 1 }]);
  expect(await expectUnavailable()).toBeGreaterThan(timeoutSeconds);
  const waiting = await Promise.all([service.extract(), service.extract({ instructions: "again" })]);
  expect(waiting.map((answer) => answer.status)).toEqual([200, 200]);
  await untilNothingIsLeft(service);
});

test("a job that no worker claims in time fails as too_many_jobs, uncharged", async () => {
  const before = await service.secondsRemaining();
  process.kill(service.processOf("worker-1").pid, "SIGKILL");
  const { status, body } = await service.extract();
  expect([status, body.error.code]).toEqual([429, "too_many_jobs"]);
  expect(await service.secondsRemaining()).toBe(before);
});
