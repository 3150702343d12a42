import { randomUUID } from "node:crypto";
import { type Server, startRedis } from "@video-to-json/testing";
import { type Completions, type CompletionsOptions, openCompletions } from "./completions.ts";
import type { RunJob } from "./in-flight-jobs.ts";
import { type JobQueue, openJobQueue } from "./job-queue.ts";
import { type RunningWorker, startWorker } from "./worker.ts";

/** A queue for one test; what it opened is closed when the test ends. `ended` stands for the database. */
export type QueueUnderTest = AsyncDisposable & {
  options: { redisUrl: string; prefix: string; onError(error: Error): void };
  errors: Error[];
  ended: Set<string>;
  queue(): JobQueue;
  completions(options?: Partial<CompletionsOptions>): Completions;
  worker(run: RunJob, concurrency?: number): RunningWorker;
};

/** Opens parts of this package on one Redis, under a prefix of their own. */
export function queueUnderTest({ url, prefix = randomUUID() }: { url: string; prefix?: string }): QueueUnderTest {
  const opened = new AsyncDisposableStack();
  const errors: Error[] = [];
  const ended = new Set<string>();
  const options = { redisUrl: url, prefix, onError: (error: Error) => void errors.push(error) };
  return {
    options,
    errors,
    ended,
    queue: () => opened.adopt(openJobQueue(options), (queue) => queue.close()),
    completions: (more) =>
      opened.adopt(
        openCompletions({ ...options, findEnded: async (ids) => ids.filter((id) => ended.has(id)), ...more }),
        (completions) => completions.close(),
      ),
    worker: (run, concurrency = 4) =>
      opened.adopt(startWorker({ ...options, concurrency, run }), (worker) => worker.close(0)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A Redis for one test to ill-treat; it ends with the test. */
export async function ownRedis(): Promise<Server & AsyncDisposable> {
  const redis = await startRedis();
  return { ...redis, [Symbol.asyncDispose]: redis.stop };
}

/** A time so many milliseconds from now. */
export function inMs(ms: number): Date {
  return new Date(Date.now() + ms);
}
