import { isUuid } from "@video-to-json/contract";
import { withTimeLimit } from "@video-to-json/timing";
import { Queue } from "bullmq";
import { createErrorReport } from "../redis/error-report.ts";
import type { QueueOptions } from "../redis/queue-options.ts";
import { openRedisConnection } from "../redis/redis-connection.ts";
import { type ExtractionJobData, extractionJobOptions, extractionQueue } from "./extraction-job.ts";
import { extendPause } from "./pause.ts";

/**
 * The queue for processes that add jobs. It holds job ids only; the database holds the state of every job. `enqueue`,
 * `missing` and `pauseFor` reject within about two seconds when Redis does not answer.
 */
export type JobQueue = {
  /**
   * Wakes a worker for the job. Does nothing if the queue has the id already. Throws a TypeError if it is not a UUID.
   */
  enqueue(jobId: string): Promise<void>;
  /** Returns the ids that the queue has lost: they neither wait, nor run, nor wait for another attempt. */
  missing(jobIds: readonly string[]): Promise<string[]>;
  /** Stops all workers from starting jobs for `ms` milliseconds. Running jobs go on. Never shortens a pause. */
  pauseFor(ms: number): Promise<void>;
  /**
   * Sets how many jobs run at once in all workers. Sets it as soon as Redis is available, and again when Redis comes
   * back without its data; never rejects because of Redis. Throws a RangeError unless `jobs` is an integer from 1.
   */
  setGlobalConcurrency(jobs: number): Promise<void>;
  close(): Promise<void>;
};

const maxAnswerMs = 1_000;

/** Opens the queue (docs/decisions/0001, "Waiting and disconnecting"). Connects in the background. */
export function openJobQueue(options: QueueOptions): JobQueue {
  const report = createErrorReport(options.onError);
  const connection = openRedisConnection({ redisUrl: options.redisUrl, report }, "request");
  const queue = new Queue<ExtractionJobData>(extractionQueue, {
    connection: connection.redis,
    prefix: options.prefix,
    // Without these, BullMQ queries the server before the first command, and never recovers if that query fails.
    skipVersionCheck: true,
    skipWaitingForReady: true,
    skipMetasUpdate: true,
  });
  // The connection reports its own errors.
  queue.on("error", () => undefined);

  let concurrency: { jobs: number; isSet: boolean } | undefined;
  connection.redis.on("ready", () => void applyConcurrency());

  async function applyConcurrency(): Promise<void> {
    const wanted = concurrency;
    if (!wanted) return;
    try {
      // Another process may have set a newer value. Only a value that Redis has lost is set again.
      if (wanted.isSet && (await queue.getGlobalConcurrency()) !== null) return;
      await withTimeLimit(maxAnswerMs, "Setting the global concurrency", queue.setGlobalConcurrency(wanted.jobs));
      wanted.isSet = true;
    } catch (error) {
      report(error);
    }
  }

  /** Waits a moment for a connection that is coming up, then for the answer to the command. */
  async function run<T>(what: string, command: () => Promise<T>): Promise<T> {
    await connection.connected(maxAnswerMs);
    return withTimeLimit(maxAnswerMs, what, command());
  }

  return {
    async enqueue(jobId) {
      if (!isUuid(jobId)) throw new TypeError("A job id must be a UUID.");
      await run("Enqueueing", () => queue.add(extractionQueue, { jobId }, extractionJobOptions(jobId)));
    },
    async missing(jobIds) {
      if (jobIds.length === 0) return [];
      const lists = await run("Looking for missing jobs", async () => {
        void applyConcurrency();
        const reply = await connection.redis
          .multi()
          .lrange(queue.toKey("wait"), 0, -1)
          .lrange(queue.toKey("active"), 0, -1)
          .zrange(queue.toKey("delayed"), "0", "-1")
          .zrange(queue.toKey("prioritized"), "0", "-1")
          .exec();
        return (reply ?? []).map(([error, ids]) => {
          if (error) throw error;
          return ids as string[];
        });
      });
      const known = new Set(lists.flat());
      return jobIds.filter((jobId) => !known.has(jobId));
    },
    async pauseFor(ms) {
      await run("Pausing", () => extendPause(connection.redis, queue.toKey("limiter"), ms));
    },
    async setGlobalConcurrency(jobs) {
      if (!Number.isSafeInteger(jobs) || jobs < 1)
        throw new RangeError("The global concurrency must be an integer from 1.");
      concurrency = { jobs, isSet: false };
      if (connection.redis.status === "ready") return applyConcurrency();
      await connection.connected(maxAnswerMs).then(applyConcurrency, report);
    },
    async close() {
      await queue.close();
      connection.close();
    },
  };
}
