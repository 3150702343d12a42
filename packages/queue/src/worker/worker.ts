import { isUuid } from "@video-to-json/contract";
import { withTimeLimit } from "@video-to-json/runtime/timing";
import {
  type BackendFactory,
  createRedisBackend,
  type Job,
  type RedisQueueBackend,
  UnrecoverableError,
  WaitingError,
  Worker,
} from "bullmq";
import { extractionQueue, maxEvents } from "../jobs/ticket.ts";
import { createErrorReport, openRedisConnection, type QueueOptions } from "../redis/redis-connection.ts";
import { createInFlightJobs, type RunTicket } from "./in-flight-jobs.ts";

/** The options of `startWorker`. */
type WorkerOptions = QueueOptions & {
  /** How many jobs this process runs at once. Without it, the worker takes jobs from the first `resume` on. */
  concurrency?: number;
  /**
   * Runs the job of one ticket; see `RunTicket`. An error that it throws is reported, and the queue forgets the ticket:
   * see `JobQueue.missing`.
   */
  run: RunTicket;
  /** Called for each ticket of a vanished worker that this worker finds. */
  onStalled?(): void;
};

/** A worker that takes jobs. */
export type RunningWorker = {
  /** Returns the number of jobs that it runs. */
  running(): number;
  /** Stops taking jobs. The running ones continue. */
  pause(): void;
  /** Takes jobs again, and runs this many at once. */
  resume(concurrency: number): void;
  /**
   * Whether the worker takes jobs, for the liveness probe. False if Redis is available and the worker could run another
   * job, but has not polled the queue for 30 s. Always true while the worker is paused, and once it is closing.
   */
  isConsuming(): boolean;
  /**
   * Stops taking jobs, lets the running ones finish for `graceMs` milliseconds, then aborts and requeues them, so that
   * another worker takes them at once. Resolves within `graceMs` and about five seconds.
   */
  close(graceMs: number): Promise<void>;
};

// A killed worker's ticket is free once its lock has expired and the next check has found it: ten seconds at most.
const timings = { lockDuration: 6_000, stalledInterval: 2_000, runRetryDelay: 1_000 };
const maxRequeueMs = 5_000;
const maxSilenceMs = 30_000;

/**
 * Starts to take tickets. The queue gives a ticket to one worker at a time. But a worker that lost its connection may
 * still run the job of a ticket that another has taken, so everything that a run writes must be fenced in the database.
 *
 * @example
 * const worker = startWorker({ redisUrl, prefix: "v2j", concurrency: 32, onError, run: runTicket });
 * process.once("SIGTERM", () => worker.close(480_000));
 */
export function startWorker(options: WorkerOptions): RunningWorker {
  const report = createErrorReport(options.onError);
  const connection = openRedisConnection({ redisUrl: options.redisUrl, report }, "background");
  const jobs = createInFlightJobs(options.run);
  let lastPollAt = performance.now();
  let closing: Promise<void> | undefined;
  let isPaused = true;

  function recordPoll(): void {
    lastPollAt = performance.now();
  }

  const worker = new ClosableWorker(
    extractionQueue,
    work,
    {
      connection: connection.redis,
      prefix: options.prefix,
      autorun: false,
      ...(options.telemetry && { telemetry: options.telemetry }),
      ...timings,
      // The database counts the claims of a job and fails a poison job. The queue must not.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // For tickets whose own options Redis has lost.
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      drainDelay: 2,
      skipVersionCheck: true,
    },
    createPollTrackingBackend(recordPoll),
  );
  worker.on("error", (error) => {
    if (!closing) report(error);
  });
  worker.on("stalled", () => options.onStalled?.());
  worker.on("lockRenewalFailed", (jobIds) => jobIds.forEach(jobs.lose));
  worker.on("locksRenewed", () => {
    // A worker at its limit does not poll.
    if (jobs.count() >= worker.concurrency) recordPoll();
  });
  connection.redis.on("ready", recordPoll);

  async function work(job: Job, token?: string): Promise<string | null> {
    const ticket = idOf(job);
    const outcome = await jobs.start(ticket, (jobId, progress) => {
      // Dropped while Redis is unavailable: it would be out of date once Redis is back.
      if (connection.redis.status === "ready") publishProgress(ticket, { ...progress, jobId });
    });
    switch (outcome.is) {
      case "done":
        return outcome.jobId ?? null;
      case "failed":
        report(
          new Error(`The job of ticket ${ticket} failed in the worker; it runs again later.`, { cause: outcome.error }),
        );
        // The queue stores the message of this error, so it must not be the real error.
        throw new Error("failed");
      case "requeue":
        await job.moveToWait(token);
        throw new WaitingError();
      case "lost":
        // Another worker owns the ticket now, so change nothing in the queue.
        throw new WaitingError();
      default:
        return outcome satisfies never;
    }
  }

  /** Does what `job.updateProgress` does, with half of its commands. A job publishes five times or more. */
  function publishProgress(ticket: string, progress: object): void {
    const data = JSON.stringify(progress);
    const event = ["event", "progress", "jobId", ticket, "data", data];
    connection.redis
      .pipeline()
      .hset(worker.toKey(ticket), "progress", data)
      .xadd(worker.toKey("events"), "MAXLEN", "~", maxEvents, "*", ...event)
      .exec()
      .catch(report);
  }

  function idOf(job: Job): string {
    if (job.id !== undefined && isUuid(job.id)) return job.id;
    report(new TypeError("A ticket in the queue has no valid id."));
    throw new UnrecoverableError("unreadable");
  }

  async function shutDown(graceMs: number): Promise<void> {
    // The worker may have fetched a job already.
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

  function resume(concurrency: number): void {
    if (closing) return;
    isPaused = false;
    recordPoll();
    worker.concurrency = concurrency;
    // A loop that waits for its running jobs notices a larger number only when it begins anew.
    void worker.pause(true).then(() => (isPaused ? undefined : worker.resume()), report);
  }
  if (options.concurrency !== undefined) resume(options.concurrency);

  return {
    running: jobs.count,
    pause() {
      isPaused = true;
      void worker.pause(true).catch(report);
    },
    resume,
    isConsuming() {
      if (closing || isPaused) return true;
      return connection.redis.status !== "ready" || performance.now() - lastPollAt < maxSilenceMs;
    },
    close(graceMs) {
      closing ??= shutDown(graceMs);
      return closing;
    },
  };
}

/**
 * A BullMQ worker whose `resume` leaves no rejection without a listener, and that can be closed while Redis is unavailable. `Worker.close` then waits for ever, and its timer for
 * renewing locks keeps the process alive. BullMQ 6.7 has no public way to stop that timer, so this class uses the
 * protected member `lockManager`.
 */
class ClosableWorker extends Worker {
  override async run(): Promise<void> {
    await super.run().catch((error: Error) => this.emit("error", error));
  }

  /** Stops what a call of `close` has not stopped yet. Its promise may never settle. */
  async abandon(): Promise<void> {
    await this.lockManager.close();
    await this.getBackend().close(true);
  }
}

/**
 * Returns BullMQ's Redis backend, which also calls `onPoll` each time the queue has answered a worker's request for a
 * job. Only that answer proves that a worker consumes; BullMQ emits no event for it.
 */
function createPollTrackingBackend(onPoll: () => void): BackendFactory<RedisQueueBackend> {
  return (name, options, connections) => {
    const backend = createRedisBackend(name, options, connections);
    const moveToActive = backend.moveToActive.bind(backend);
    backend.moveToActive = async (token, workerName) => {
      const next = await moveToActive(token, workerName);
      onPoll();
      return next;
    };
    return backend;
  };
}
