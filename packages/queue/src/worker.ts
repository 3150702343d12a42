import { type Job, UnrecoverableError, WaitingError } from "bullmq";
import { openErrorReport } from "./error-report.ts";
import { type ExtractionJobData, extractionQueue, parseExtractionJobData } from "./extraction-job.ts";
import { openJobRuns, type RunJob } from "./in-flight-jobs.ts";
import { pauseLimiter } from "./pause.ts";
import { PollTrackingWorker } from "./poll-tracking-worker.ts";
import type { QueueOptions } from "./queue-options.ts";
import { connect } from "./redis-connection.ts";
import { within } from "./time-limit.ts";

/** What a worker is started with. */
type WorkerOptions = QueueOptions & {
  /** Most jobs this process runs at once. */
  concurrency: number;
  /** Does one job; see `RunJob`. What it throws is reported, and the job tried again, later each time. */
  run: RunJob;
};

/** A worker at work. */
export type RunningWorker = {
  /** How many jobs it is running. */
  running(): number;
  /**
   * Whether it takes jobs as it should: false when Redis answers and yet it has not asked for a job in half a minute
   * though it had room for one. One that is closing is asked for nothing more. For a liveness probe.
   */
  isConsuming(): boolean;
  /** Resolves when Redis answers; rejects within about two seconds. */
  ready(): Promise<void>;
  /**
   * Stops taking jobs, gives the running ones `graceMs` to end, then aborts their signals and hands them back to the
   * queue, where another worker takes them at once. Resolves within `graceMs` and about five seconds.
   */
  close(graceMs: number): Promise<void>;
};

// A killed worker's job is free when its lock has expired and the check after that has found it: ten seconds at most.
const timings = { lockDuration: 6_000, stalledInterval: 2_000, runRetryDelay: 1_000 };
const handBackMs = 5_000;
const stuckMs = 30_000;

/**
 * Starts taking jobs. A job is run by one worker at a time as far as the queue can tell; a worker that was cut off
 * may still be running one, so what a run writes must be fenced in the database.
 */
export function startWorker(options: WorkerOptions): RunningWorker {
  const report = openErrorReport(options.onError);
  const connection = connect({ redisUrl: options.redisUrl, report }, "waiting");
  const runs = openJobRuns(options.run);
  let closing: Promise<void> | undefined;

  const worker = new PollTrackingWorker(extractionQueue, work, {
    connection: connection.redis,
    prefix: options.prefix,
    concurrency: options.concurrency,
    ...timings,
    // A job that kills its workers is ended by its count of starts in the database, not by the queue.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    limiter: pauseLimiter,
    // How soon an idle worker looks by itself: when a pause ends, and when a slot of all the workers' is freed.
    drainDelay: 2,
    maximumRateLimitDelay: 1_000,
    skipVersionCheck: true,
  });
  worker.on("error", (error) => {
    if (!closing) report(error);
  });
  worker.on("lockRenewalFailed", (jobIds) => jobIds.forEach(runs.lose));
  worker.on("locksRenewed", () => {
    if (runs.count() >= options.concurrency) worker.lastAskedAt = Date.now();
  });
  connection.redis.on("ready", () => {
    worker.lastAskedAt = Date.now();
  });

  async function work(job: Job<ExtractionJobData>, token?: string): Promise<void> {
    const jobId = idOf(job);
    const outcome = await runs.start(jobId, (progress) => {
      // Not queued up while Redis is away: it would be stale by then.
      if (connection.redis.status === "ready") job.updateProgress(progress).catch(report);
    });
    switch (outcome.is) {
      case "done":
        return;
      case "failed":
        report(new Error(`Job ${jobId} failed in the worker and is tried again.`, { cause: outcome.error }));
        // The queue is told no more than that: it keeps what it is told.
        throw new Error("failed");
      case "handed back":
        await job.moveToWait(token);
        throw new WaitingError();
      case "lost":
        // It is no longer this worker's to say anything about.
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
    // A job may be on its way here already.
    runs.startNoMore();
    const closed = worker.close();
    await runs.ended(graceMs);
    runs.handBackAll();
    try {
      await within(handBackMs, "Handing back jobs", closed);
    } catch (error) {
      // What could not be handed back, Redis being away, is found when its lock has expired.
      report(error);
      await worker.giveUp();
    } finally {
      connection.close();
    }
  }

  return {
    running: runs.count,
    isConsuming() {
      if (closing) return true;
      return connection.redis.status !== "ready" || Date.now() - worker.lastAskedAt < stuckMs;
    },
    ready: connection.answers,
    close(graceMs) {
      closing ??= shutDown(graceMs);
      return closing;
    },
  };
}
