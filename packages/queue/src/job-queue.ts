import { Queue } from "bullmq";
import { openErrorReport } from "./error-report.ts";
import { type ExtractionJobData, extractionJobOptions, extractionQueue, isJobId } from "./extraction-job.ts";
import { lengthenPause } from "./pause.ts";
import type { QueueOptions } from "./queue-options.ts";
import { connect } from "./redis-connection.ts";
import { within } from "./time-limit.ts";

/**
 * The queue as those see it who put jobs in. It holds ids and says "look now"; the database says what is true.
 * Every method but `setGlobalConcurrency` and `close` rejects within about two seconds when Redis does not answer.
 */
export type JobQueue = {
  /** Wakes a worker for the job. An id already in the queue is left as it is. Throws a TypeError if it is no UUID. */
  enqueue(jobId: string): Promise<void>;
  /** Those of the ids that the queue has lost: neither waiting, nor running, nor about to be tried again. */
  missing(jobIds: readonly string[]): Promise<string[]>;
  /** No worker anywhere starts a job for `ms` milliseconds; running ones go on. Never shortens a pause in force. */
  pauseFor(ms: number): Promise<void>;
  /**
   * Most jobs that run at once over all workers. Set now if Redis answers, otherwise as soon as it does, and again
   * when Redis comes back empty; never rejects for Redis' sake. Throws a RangeError unless a whole number from 1.
   */
  setGlobalConcurrency(jobs: number): Promise<void>;
  /** How many jobs wait, run, and wait to be tried again. */
  counts(): Promise<{ waiting: number; active: number; delayed: number }>;
  /** Takes a job out that no worker has begun; a running one is left alone. */
  remove(jobId: string): Promise<void>;
  /** Resolves when Redis answers. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

const answerMs = 1_000;

/** Opens the queue for putting jobs in (docs/decisions/0001, "Waiting and disconnecting"). Connects by itself. */
export function openJobQueue(options: QueueOptions): JobQueue {
  const report = openErrorReport(options.onError);
  const connection = connect({ redisUrl: options.redisUrl, report }, "asking");
  const queue = new Queue<ExtractionJobData>(extractionQueue, {
    connection: connection.redis,
    prefix: options.prefix,
    // All three keep it from asking the server things before the first command, and from failing for good if the
    // server is away just then.
    skipVersionCheck: true,
    skipWaitingForReady: true,
    skipMetasUpdate: true,
  });
  // The connection reports its own faults.
  queue.on("error", () => undefined);

  let concurrency: { jobs: number; isSet: boolean } | undefined;
  connection.redis.on("ready", () => void keepConcurrency());

  async function keepConcurrency(): Promise<void> {
    const wanted = concurrency;
    if (!wanted) return;
    try {
      // What another process has set meanwhile stands; only what Redis has forgotten is put back.
      if (wanted.isSet && (await queue.getGlobalConcurrency()) !== null) return;
      await within(answerMs, "Setting the global concurrency", queue.setGlobalConcurrency(wanted.jobs));
      wanted.isSet = true;
    } catch (error) {
      report(error);
    }
  }

  /** Gives a connection that is just coming up a moment, then the command another. */
  async function ask<T>(what: string, command: () => Promise<T>): Promise<T> {
    await connection.connected(answerMs);
    return within(answerMs, what, command());
  }

  return {
    async enqueue(jobId) {
      if (!isJobId(jobId)) throw new TypeError("A job id is a UUID.");
      await ask("Enqueueing", () => queue.add(extractionQueue, { jobId }, extractionJobOptions(jobId)));
    },
    async missing(jobIds) {
      if (jobIds.length === 0) return [];
      const lists = await ask("Looking for missing jobs", async () => {
        void keepConcurrency();
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
      await ask("Pausing", () => lengthenPause(connection.redis, queue.toKey("limiter"), ms));
    },
    async setGlobalConcurrency(jobs) {
      if (!Number.isSafeInteger(jobs) || jobs < 1) throw new RangeError("Global concurrency is a whole number from 1.");
      concurrency = { jobs, isSet: false };
      if (connection.redis.status === "ready") return keepConcurrency();
      await connection.connected(answerMs).then(keepConcurrency, report);
    },
    async counts() {
      const counts = await ask("Counting", () => queue.getJobCounts("waiting", "active", "delayed"));
      return { waiting: counts.waiting ?? 0, active: counts.active ?? 0, delayed: counts.delayed ?? 0 };
    },
    async remove(jobId) {
      await ask("Removing", () => queue.remove(jobId));
    },
    ready: () => connection.answers(),
    async close() {
      await queue.close();
      connection.close();
    },
  };
}
