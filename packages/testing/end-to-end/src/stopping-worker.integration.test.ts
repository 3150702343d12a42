import type { StackPart } from "@video-to-json/stack";
import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { runsAllTests } from "@video-to-json/testing/running";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";

/** Returns the worker that runs the only job. */
async function holder(service: Service): Promise<StackPart> {
  const running = await Promise.all(
    service.parts.map(async (part, index) => {
      const text = await (await fetch(`${service.metricsUrls[index]}/metrics`)).text();
      return /^video_to_json_places\{state="used"\} 1$/m.test(text) ? part : undefined;
    }),
  );
  const [found] = running.filter((part) => part !== undefined);
  if (!found) throw new Error("No worker runs the job.");
  return found;
}

/** Returns a function that reads the fence of the only job. */
function fenceOf(service: Service): () => Promise<number> {
  const sql = postgres(service.databaseUrl, { max: 1 });
  onTestFinished(() => sql.end());
  return async () => (await sql`select fence from jobs`)[0]?.fence;
}

test("a stopping worker finishes its job within the grace period, not ready but alive, and then exits", async () => {
  await using service = await startService({ workers: 2, env: { SHUTDOWN_GRACE_SECONDS: "30" } });
  const fence = fenceOf(service);
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 3000 }]);
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.generate": 1 });
  const worker = await holder(service);
  const operator = service.metricsUrls[service.parts.indexOf(worker)];
  worker.signal("SIGTERM");
  const status = async (path: string) => (await fetch(operator + path)).status;
  await expect.poll(() => status("/readyz")).toBe(503);
  expect(await status("/healthz")).toBe(200);
  expect((await answer).status).toBe(200);
  expect(await worker.ended).toBe("code 0");
  expect(await fence()).toBe(1);
  await untilNothingIsLeft(service);
});

test("another worker claims a job that exceeds the grace period at once, not after its lock has expired", async () => {
  await using service = await startService({ workers: 2, env: { SHUTDOWN_GRACE_SECONDS: "0" } });
  const fence = fenceOf(service);
  await service.emulator.setFaults([{ on: "generate", kind: "hang", times: 1 }]);
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.generate": 1 });
  const worker = await holder(service);
  const stoppedAt = performance.now();
  worker.signal("SIGTERM");
  await expect.poll(fence, { interval: 50 }).toBe(2);
  // A lock expires after 6 s, which BullMQ notices up to 2 s later.
  expect(performance.now() - stoppedAt).toBeLessThan(5_000);
  expect(await worker.ended).toBe("code 0");
  expect((await answer).status).toBe(200);
  expect(await service.secondsRemaining()).toBe(1740);
  await untilNothingIsLeft(service);
});

// apps/worker/src/poison-job.integration.test.ts tests this without stopping processes.
test.runIf(runsAllTests)(
  "a job that six stopping workers hand back is still answered, and charged once",
  async () => {
    await using service = await startService({ workers: 2, env: { SHUTDOWN_GRACE_SECONDS: "1" } });
    const fence = fenceOf(service);
    await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 60_000, times: 6 }]);
    const answer = service.extract();
    for (let stopped = 1; stopped <= 6; stopped++) {
      await Promise.race([service.emulator.waitFor({ "requests.generate": stopped }), answer]);
      const worker = await holder(service);
      const { ended } = worker;
      worker.signal("SIGTERM");
      expect(await ended).toBe("code 0");
      await worker.start();
    }
    expect((await answer).status).toBe(200);
    expect(await fence()).toBe(7);
    expect(await service.secondsRemaining()).toBe(1740);
    await untilNothingIsLeft(service);
  },
  120_000,
);
