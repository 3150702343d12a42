import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { runsAllTests } from "@video-to-json/testing/running";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("a service whose processes die", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ workers: 1 });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test("a job whose caller disconnects finishes, is charged once and is read by its key", async () => {
    const before = await service.secondsRemaining();
    const key = { "idempotency-key": "gone" };
    await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1000, times: 1 }]);
    const gone = new AbortController();
    const lost = service.extract({}, key, gone.signal);
    await service.emulator.waitFor({ "requests.generate": 1 });
    gone.abort();
    await expect(lost).rejects.toThrow();
    const { status, headers } = await service.extract({}, key);
    expect([status, headers.get("job-id") !== null]).toEqual([200, true]);
    expect(before - (await service.secondsRemaining())).toBe(60);
    await untilNothingIsLeft(service);
  });

  test("a job survives the loss of all data of the queue", async () => {
    const before = await service.secondsRemaining();
    const answer = await start({ on: "generate", kind: "latency", ms: 3000, times: 1 });
    await service.forgetQueue();
    expect((await answer.sent).status).toBe(200);
    expect(before - (await service.secondsRemaining())).toBe(60);
    await untilNothingIsLeft(service);
  });

  test("a request whose worker is killed gets its answer, for one charge", async () => {
    const before = await service.secondsRemaining();
    const answer = await start({ on: "generate", kind: "hang", times: 1 });
    await restartWorker();
    const { status, body } = await answer.sent;
    expect([status, body.data]).toEqual([200, { main_color: "red" }]);
    expect(before - (await service.secondsRemaining())).toBe(60);
    await untilNothingIsLeft(service);
  });

  test("a worker that is killed while it gathers evidence: the caller gets the answer with its evidence, for one charge", async () => {
    const before = await service.secondsRemaining();
    const { requests } = await service.emulator.state();
    // The first question is about the schema, the second about evidence.
    await service.emulator.setFaults([{ on: "generate", kind: "hang", after: 1, times: 1 }]);
    const sent = service.extract({}, { "extract-evidence": "fields" });
    await service.emulator.waitFor({ "requests.generate": (requests.generate ?? 0) + 2 });
    await restartWorker(async () => expect(await service.secondsRemaining()).toBe(before));
    const { status, body } = await sent;
    expect([status, body.data]).toEqual([200, { main_color: "red" }]);
    expect(before - (await service.secondsRemaining())).toBe(60);
    const { text } = await service.read(`/v1/jobs/${body.id}/evidence`);
    const evidence = JSON.parse(text) as { job_id: string; status: string; fields: object; whole_video: string[] };
    expect(evidence).toMatchObject({ job_id: body.id, status: "complete" });
    expect([...Object.keys(evidence.fields), ...evidence.whole_video]).toEqual(["/main_color"]);
    await untilNothingIsLeft(service);
  });

  test("the part of a video that a killed worker had sent does not stay at the provider", async () => {
    const answer = await start({ on: "chunk", kind: "hang", times: 1 });
    await restartWorker(async () => expect((await service.emulator.state()).openUploads).toBe(1));
    const { status, body } = await answer.sent;
    expect([status, body.data]).toEqual([200, { main_color: "red" }]);
    await untilNothingIsLeft(service);
  });

  test("a stopping API answers its open requests before it ends", async () => {
    const answer = await start({ on: "generate", kind: "latency", ms: 1000, times: 1 });
    process.kill(service.processOf("api-1").pid, "SIGTERM");
    expect((await answer.sent).status).toBe(200);
    await expect.poll(() => isAlive(service.processOf("api-1").pid)).toBe(false);
  });

  /** Sends a request. Resolves when the provider has received the request to which the fault applies. */
  async function start(fault: { on: "generate" | "chunk"; kind: "hang" | "latency"; ms?: number; times: number }) {
    const name = `requests.${fault.on}`;
    const { requests } = await service.emulator.state();
    await service.emulator.setFaults([fault]);
    const sent = service.extract();
    await service.emulator.waitFor({ [name]: (requests[fault.on] ?? 0) + 1 });
    return { sent };
  }

  /** Kills the worker and starts it again. */
  async function restartWorker(whileDead = async () => {}) {
    const worker = service.parts.find(({ app }) => app === "worker");
    worker?.signal("SIGKILL");
    expect(await worker?.ended).toBe("signal SIGKILL");
    await whileDead();
    await worker?.start();
  }
});

describe("a service with a short job timeout", () => {
  // On a busy machine, a job takes several seconds.
  const timeoutSeconds = 12;
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { JOB_TIMEOUT_SECONDS: String(timeoutSeconds) } });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test("a job without an answer of the provider in time fails as provider_unavailable, uncharged", async () => {
    await service.emulator.setFaults([{ on: "generate", kind: "hang", times: -1 }]);
    const { status, body, headers } = await service.extract();
    expect([status, body.error.code]).toEqual([503, "provider_unavailable"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await service.secondsRemaining()).toBe(1800);
    await untilNothingIsLeft(service);
  });

  test("a delay of the provider that exceeds the deadline is passed to the caller at once", async () => {
    await service.emulator.setFaults([{ on: "generate", kind: "status", status: 429, retryDelay: "100s", times: -1 }]);
    const { status, body, headers } = await service.extract();
    expect([status, body.error.code]).toEqual([503, "provider_unavailable"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(100);
    await untilNothingIsLeft(service);
  });

  test("one 429 with a long Retry-After ends its own job and not those that wait", async () => {
    await service.emulator.setFaults([{ on: "generate", kind: "status", status: 429, retryDelay: "480s", times: 1 }]);
    const { status, body, headers } = await service.extract();
    expect([status, body.error.code]).toEqual([503, "provider_unavailable"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(timeoutSeconds);
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
});

// apps/worker/src/poison-job.integration.test.ts tests this without killing processes.
test.runIf(runsAllTests)(
  "a job that kills each of its workers ends after the fifth, uncharged",
  async () => {
    await using service = await startService({ workers: 1 });
    await service.emulator.setFaults([{ on: "generate", kind: "hang", times: -1 }]);
    const answer = service.extract();
    const [worker] = service.parts.filter(({ app }) => app === "worker");
    for (let killed = 1; killed <= 5; killed++) {
      await Promise.race([service.emulator.waitFor({ "requests.generate": killed }), answer]);
      worker?.signal("SIGKILL");
      expect(await worker?.ended).toBe("signal SIGKILL");
      await worker?.start();
    }
    const { status, body } = await answer;
    expect([status, body.error.code]).toEqual([500, "internal_error"]);
    expect(await service.secondsRemaining()).toBe(1800);
    await untilNothingIsLeft(service);
  },
  180_000,
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
