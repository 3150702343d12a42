import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { testRedis } from "@video-to-json/testing";
import { test, vi } from "vitest";
import type { JobQueue } from "../jobs/job-queue.ts";
import { queueUnderTest } from "../testing/queue.harness.ts";
import { startWorkerProcess } from "../testing/worker-process.harness.ts";

/** Adds a job. On a busy machine, connecting to Redis may take longer than the queue waits, so it tries again. */
const enqueue = (queue: JobQueue, jobId: string) => vi.waitFor(() => queue.enqueue(jobId), { timeout: 60_000 });

test.concurrent.for([1, 2])(
  "the job of a killed worker is taken within 15 seconds by the only other worker, which was idle (%i)",
  async (_, { expect }) => {
    await using under = queueUnderTest(testRedis());
    const queue = under.queue();
    const jobId = randomUUID();
    const doomed = startWorkerProcess(under.options);
    const started = doomed.started();
    await enqueue(queue, jobId);
    expect(await started).toBe(jobId);

    const taken = Promise.withResolvers<number>();
    under.worker(async () => taken.resolve(Date.now()));
    await under.ready();
    doomed.child.kill("SIGKILL");
    const killedAt = Date.now();
    expect((await taken.promise) - killedAt).toBeLessThan(15_000);
    await expect.poll(() => queue.missing([jobId])).toEqual([jobId]);
  },
);

test.concurrent("a job survives one killed worker after another", async ({ expect }) => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const jobId = randomUUID();
  await enqueue(queue, jobId);
  for (let killed = 0; killed < 2; killed += 1) {
    const doomed = startWorkerProcess(under.options);
    expect(await doomed.started()).toBe(jobId);
    doomed.child.kill("SIGKILL");
    await once(doomed.child, "exit");
  }
  const ran: string[] = [];
  under.worker(async (id) => void ran.push(id));
  await expect.poll(() => ran).toEqual([jobId]);
});

test.concurrent("a worker process that receives SIGTERM requeues its job and exits by itself", async ({ expect }) => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const jobId = randomUUID();
  const stopping = startWorkerProcess(under.options);
  const started = stopping.started();
  await enqueue(queue, jobId);
  await started;
  const exited = once(stopping.child, "exit");
  stopping.child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
  expect(await under.counts()).toEqual({ waiting: 1, active: 0, delayed: 0 });
});
