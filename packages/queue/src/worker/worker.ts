import { withTimeLimit } from "@video-to-json/timing";
import { type Job, UnrecoverableError, WaitingError } from "bullmq";
import { type ExtractionJobData, extractionQueue, parseExtractionJobData } from "../jobs/extraction-job.ts";
import { pauseLimiter } from "../jobs/pause.ts";
import { createErrorReport } from "../redis/error-report.ts";
import type { QueueOptions } from "../redis/queue-options.ts";
import { openRedisConnection } from "../redis/redis-connection.ts";
import { ClosableWorker } from "./closable-worker.ts";
import { createInFlightJobs, type RunJob } from "./in-flight-jobs.ts";
import { createPollTrackingBackend } from "./poll-tracking-backend.ts";

/** The options of `startWorker`. */
type WorkerOptions = QueueOptions & {
  /** How many jobs this process runs at once. */
  concurrency: number;
  /** Runs one job; see `RunJob`. An error that it throws is reported, and the job tried again, later each time. */
  run: RunJob;
};

/** A worker that takes jobs. */
export type RunningWorker = {
  /** Returns the number of jobs that it runs. */
  running(): number;
  /**
   * Whether the worker takes jobs, for the liveness probe. False if Redis is available, the worker could run another
   * job, and yet it has not polled the queue for 30 s. Always true once the worker is closing.
   */
  isConsuming(): boolean;
  /**
   * Stops taking jobs, lets the running ones finish for `graceMs` milliseconds, then aborts and requeues them, so that
   * another worker takes them at once. Resolves within `graceMs` and about five seconds.
   */
  close(graceMs: number): Promise<void>;
};

// A killed worker's job is free once its lock has expired and the next check has found it: ten seconds at most.
const timings = { lockDuration: 6_000, stalledInterval: 2_000, runRetryDelay: 1_000 };
const maxRequeueMs = 5_000;
const maxSilenceMs = 30_000;

/**
 * Starts to take jobs. The queue gives a job to one worker at a time. But a worker that lost its connection may still
 * run a job that another has taken, so everything that a run writes must be fenced in the database.
 */
export function startWorker(options: WorkerOptions): RunningWorker {
  const report = createErrorReport(options.onError);
  const connection = openRedisConnection({ redisUrl: options.redisUrl, report }, "background");
  const jobs = createInFlightJobs(options.run);
  let lastPollAt = Date.now();
  let closing: Promise<void> | undefined;

  function recordPoll(): void {
    lastPollAt = Date.now();
  }

  const worker = new ClosableWorker<ExtractionJobData>(
    extractionQueue,
    work,
    {
      connection: connection.redis,
      prefix: options.prefix,
      concurrency: options.concurrency,
      ...timings,
      // The database counts the claims of a job and fails a poison job. The queue must not.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      limiter: pauseLimiter,
      // How often an idle worker polls: after a pause, or when another worker frees a slot of the global concurrency.
      drainDelay: 2,
      maximumRateLimitDelay: 1_000,
      skipVersionCheck: true,
    },
    createPollTrackingBackend(recordPoll),
  );
  worker.on("error", (error) => {
    if (!closing) report(error);
  });
  worker.on("lockRenewalFailed", (jobIds) => jobIds.forEach(jobs.lose));
  worker.on("locksRenewed", () => {
    // A worker at its limit does not poll.
    if (jobs.count() >= options.concurrency) recordPoll();
  });
  connection.redis.on("ready", recordPoll);

  async function work(job: Job<ExtractionJobData>, token?: string): Promise<void> {
    const jobId = idOf(job);
    const outcome = await jobs.start(jobId, (progress) => {
      // Dropped while Redis is unavailable: it would be out of date once Redis is back.
      if (connection.redis.status === "ready") job.updateProgress(progress).catch(report);
    });
    switch (outcome.is) {
      case "done":
        return;
      case "failed":
        report(new Error(`Job ${jobId} failed in the worker and is tried again.`, { cause: outcome.error }));
        // The queue stores the message of this error, so the real error must not reach it.
        throw new Error("failed");
      case "requeue":
        await job.moveToWait(token);
        throw new WaitingError();
      case "lost":
        // Another worker owns the job now: change nothing in the queue.
        throw new WaitingError();
      default:
        outcome satisfies never;
    }
  }

  function idOf(job: Job<ExtractionJobData>): string {
    try {
      return parseExtractionJobData(job.data).jobId;
    } catch (error) {
      report(error);
      throw new UnrecoverableError("unreadable");
    }
  }

  async function shutDown(graceMs: number): Promise<void> {
    // A job may have been fetched already.
    jobs.stopStarting();
    const closed = worker.close();
    await jobs.finished(graceMs);
    jobs.requeueAll();
    try {
      await withTimeLimit(maxRequeueMs, "Requeueing jobs", closed);
    } catch (error) {
      // Redis is unavailable. Another worker takes the jobs when their locks expire.
      report(error);
      await worker.abandon();
    } finally {
      connection.close();
    }
  }

  return {
    running: jobs.count,
    isConsuming() {
      if (closing) return true;
      return connection.redis.status !== "ready" || Date.now() - lastPollAt < maxSilenceMs;
    },
    close(graceMs) {
      closing ??= shutDown(graceMs);
      return closing;
    },
  };
}
