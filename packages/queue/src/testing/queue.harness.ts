import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobProgress } from "@video-to-json/contract";
import { type Server, type ServerOptions, startRedis } from "@video-to-json/testing";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { type CompletionsOptions, openCompletions } from "../completions/completions.ts";
import { type JobQueue, openJobQueue } from "../jobs/job-queue.ts";
import { openPermits } from "../permits/permits.ts";
import type { RunTicket } from "../worker/in-flight-jobs.ts";
import { type RunningWorker, startWorker } from "../worker/worker.ts";

/** Runs the job of a ticket, which has the ticket's id: the tests have no database to claim another job in. */
export type RunJob = (
  jobId: string,
  context: { signal: AbortSignal; progress(progress: JobProgress): void },
) => Promise<unknown>;

type Place = { url: string; prefix?: string; server?: string };

/**
 * Opens parts of this package on one Redis, under a prefix of their own, and closes them when the test ends. `server` is
 * the server's own address if `url` names sentinels.
 */
export function queueUnderTest({ url, prefix = randomUUID(), server = url }: Place) {
  const opened = new AsyncDisposableStack();
  const queues: JobQueue[] = [];
  const workers: { worker: RunningWorker; concurrency: number }[] = [];
  let listeners = 0;
  const errors: Error[] = [];
  const finished = new Set<string>();
  const options = { redisUrl: url, prefix, onError: (error: Error) => void errors.push(error) };
  return {
    options,
    errors,
    /** The ids that `completions` finds finished, as if they were in the database. */
    finished,
    queue() {
      const queue = opened.adopt(openJobQueue(options), (queue) => queue.close());
      queues.push(queue);
      return queue;
    },
    completions(more: Partial<CompletionsOptions> = {}) {
      listeners += 1;
      const findFinished = async (ids: string[]) => ids.filter((id) => finished.has(id));
      return opened.adopt(openCompletions({ ...options, findFinished, ...more }), (completions) => completions.close());
    },
    worker(run: RunJob, concurrency = 4) {
      const runTicket: RunTicket = async (ticket, { signal, progress }) => {
        await run(ticket, { signal, progress: (stage) => progress(ticket, stage) });
        return ticket;
      };
      const started = startWorker({ ...options, concurrency, run: runTicket });
      const worker = opened.adopt(started, (worker) => worker.close(0));
      workers.push({ worker, concurrency });
      return worker;
    },
    permits: (limit: number) => opened.adopt(openPermits({ ...options, limit }), (permits) => permits.close()),
    /** Resolves once every queue is connected, every completions listens and every idle worker polls. */
    async ready() {
      const idle = workers.filter(({ worker, concurrency }) => worker.running() < concurrency);
      await Promise.all([
        ...queues.map((queue) => untilItAnswers(queue)),
        untilBlocked({ url: server, prefix, command: "xread", clients: listeners }),
        untilBlocked({ url: server, prefix, command: "bzpopmin", clients: idle.length }),
      ]);
    },
    /** Reads from BullMQ how many jobs wait, run, and wait for another attempt. */
    async counts() {
      const raw = new Queue("extractions", { connection: { url: server }, prefix });
      const counts = await raw.getJobCounts("waiting", "active", "delayed");
      await raw.close();
      return { waiting: counts.waiting ?? 0, active: counts.active ?? 0, delayed: counts.delayed ?? 0 };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Resolves once the queue reaches Redis. */
export async function untilItAnswers(queue: JobQueue): Promise<void> {
  const answers = () =>
    queue.missing([randomUUID()]).then(
      () => true,
      () => false,
    );
  while (!(await answers())) await sleep(50);
}

/** Resolves once this many connections under the prefix wait in a blocking Redis command. */
async function untilBlocked(wanted: { url: string; prefix: string; command: string; clients: number }): Promise<void> {
  if (wanted.clients === 0) return;
  const redis = new Redis(wanted.url);
  try {
    for (;;) {
      const clients = String(await redis.client("LIST")).split("\n");
      const blocked = clients.filter(
        (client) => client.includes(` name=${wanted.prefix}:`) && client.includes(` cmd=${wanted.command} `),
      );
      if (blocked.length >= wanted.clients) return;
      await sleep(20);
    }
  } finally {
    redis.disconnect();
  }
}

/** Starts a Redis that one test may kill or stop. It ends with the test. */
export async function ownRedis(options: ServerOptions = {}): Promise<Server & AsyncDisposable> {
  const redis = await startRedis(options);
  return { ...redis, [Symbol.asyncDispose]: redis.stop };
}

export function inMs(ms: number): Date {
  return new Date(Date.now() + ms);
}
