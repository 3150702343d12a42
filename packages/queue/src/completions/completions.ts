import type { JobProgress } from "@video-to-json/contract";
import { withTimeLimit } from "@video-to-json/runtime/timing";
import { openJobEvents } from "../jobs/job-events.ts";
import { createErrorReport, type QueueOptions } from "../redis/redis-connection.ts";

type FinishedJobPollerOptions = {
  /** Queries the database. Returns those of the jobs that have finished. */
  findFinished(jobIds: string[]): Promise<string[]>;
  /** Called for each finished job. */
  onFinished(jobId: string): void;
  report(error: unknown): void;
};

/** Looks up whether jobs have finished. */
export type FinishedJobPoller = {
  /** Looks up these jobs soon. Several calls share one query. */
  check(jobIds: Iterable<string>): void;
  close(): void;
};

const maxJobsPerQuery = 1_000;
const maxQueryMs = 10_000;

/**
 * Creates a poller that runs one query at a time for any number of jobs. It reports a query that fails or hangs and
 * does not repeat it: callers that still wait check again.
 */
export function openFinishedJobPoller({
  findFinished,
  onFinished,
  report,
}: FinishedJobPollerOptions): FinishedJobPoller {
  const unchecked = new Set<string>();
  let isRunning = false;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    // Lets other calls of the same turn of the event loop join this query.
    await Promise.resolve();
    while (unchecked.size > 0) {
      const jobIds = [...unchecked].slice(0, maxJobsPerQuery);
      for (const jobId of jobIds) unchecked.delete(jobId);
      try {
        const finished = await withTimeLimit(maxQueryMs, "Looking for finished jobs", findFinished(jobIds));
        for (const jobId of finished) onFinished(jobId);
      } catch (error) {
        report(error);
      }
    }
    isRunning = false;
  }

  return {
    check(jobIds) {
      for (const jobId of jobIds) unchecked.add(jobId);
      void run();
    },
    close: () => unchecked.clear(),
  };
}

/** The options of `openCompletions`. */
export type CompletionsOptions = QueueOptions & {
  /**
   * Queries the database. Returns those of the jobs that have finished. An error is reported, and the query repeated
   * later.
   */
  findFinished(jobIds: string[]): Promise<string[]>;
  /** Milliseconds between two lookups of all jobs that are waited for. 2000 by default. */
  lookEveryMs?: number;
};

/** How a wait ended. Only `finished` is a fact about the job, whose outcome is in the database. */
type WaitOutcome = "finished" | "deadline" | "aborted";

type WaitOptions = { deadline: Date; signal?: AbortSignal };

/** Waits for jobs to finish. */
export type Completions = {
  /**
   * Calls `onProgress` with the progress of a job, until the result is disposed of, while Redis is available. Call it
   * before the job is in the queue, so that its first stage is not missed. `current` reads the progress of a job that
   * began earlier; its result is dropped if a change arrives first.
   */
  watch(
    jobId: string,
    onProgress: (progress: JobProgress) => void,
    current?: () => Promise<JobProgress | undefined>,
  ): Disposable;
  /** Waits until the job has finished, the deadline has passed or the signal aborts. Never rejects. */
  wait(jobId: string, options: WaitOptions): Promise<WaitOutcome>;
  /** Returns the number of waits in flight. */
  waiting(): number;
  /** Ends every wait as `aborted`. */
  close(): Promise<void>;
};

type Waiter = { settle(outcome: WaitOutcome): void };
type Watcher = { onProgress(progress: JobProgress): void; isSilent: boolean };

const maxTimerMs = 2 ** 31 - 1;

/** Returns the delay of a timer for this date; 0 for a past or invalid date. */
function msUntil(date: Date): number {
  return Math.min(Math.max(date.getTime() - Date.now(), 0) || 0, maxTimerMs);
}

/**
 * Opens the process's only place to wait for jobs. An event of the queue only wakes a wait up; the database says
 * whether the job has finished. It is queried on each event, at the start of each wait, after each connection to Redis,
 * and every two seconds for all waits. So no completion is lost, and without Redis an answer is late but still arrives.
 *
 * @example
 * const completions = openCompletions({ redisUrl, prefix, onError, findFinished: (ids) => findFinishedJobs(db, ids) });
 * if ((await completions.wait(job.id, { deadline })) === "finished") respond(await findJob(db, { id: job.id, accountId }));
 */
export function openCompletions(options: CompletionsOptions): Completions {
  const report = createErrorReport(options.onError);
  const waiters = new Map<string, Set<Waiter>>();
  const watchers = new Map<string, Set<Watcher>>();
  let closed = false;

  const poller = openFinishedJobPoller({
    findFinished: async (jobIds) => options.findFinished(jobIds),
    onFinished: (jobId) => {
      for (const waiter of waiters.get(jobId) ?? []) waiter.settle("finished");
    },
    report,
  });
  const checkAll = () => poller.check(waiters.keys());
  const interval = setInterval(checkAll, options.lookEveryMs ?? 2_000).unref();

  const events = openJobEvents(
    { redisUrl: options.redisUrl, prefix: options.prefix, report },
    {
      finished: (jobId) => {
        if (waiters.has(jobId)) poller.check([jobId]);
      },
      progress: (jobId, progress) => {
        for (const watcher of watchers.get(jobId) ?? []) sendProgress(watcher, progress);
      },
      connected: checkAll,
    },
  );

  function sendProgress(watcher: Watcher, progress: JobProgress): void {
    watcher.isSilent = false;
    try {
      watcher.onProgress(progress);
    } catch (error) {
      report(error);
    }
  }

  function watch(...[jobId, onProgress, current]: Parameters<Completions["watch"]>): Disposable {
    const sameJob = watchers.get(jobId) ?? new Set();
    const watcher = { onProgress, isSilent: true };
    watchers.set(jobId, sameJob.add(watcher));
    current?.().then((progress) => {
      if (progress && watcher.isSilent && sameJob.has(watcher)) sendProgress(watcher, progress);
    }, report);
    return {
      [Symbol.dispose]() {
        sameJob.delete(watcher);
        if (sameJob.size === 0) watchers.delete(jobId);
      },
    };
  }

  function wait(jobId: string, { deadline, signal }: WaitOptions): Promise<WaitOutcome> {
    if (closed || signal?.aborted) return Promise.resolve("aborted");
    return new Promise((resolve) => {
      const sameJob = waiters.get(jobId) ?? new Set();
      const abort = () => waiter.settle("aborted");
      const timer = setTimeout(() => waiter.settle("deadline"), msUntil(deadline));
      const waiter: Waiter = {
        settle(outcome) {
          if (!sameJob.delete(waiter)) return;
          clearTimeout(timer);
          signal?.removeEventListener("abort", abort);
          if (sameJob.size === 0) waiters.delete(jobId);
          resolve(outcome);
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      waiters.set(jobId, sameJob.add(waiter));
      poller.check([jobId]);
    });
  }

  return {
    watch,
    wait,
    waiting: () => [...waiters.values()].reduce((sum, { size }) => sum + size, 0),
    async close() {
      closed = true;
      clearInterval(interval);
      poller.close();
      for (const sameJob of waiters.values()) for (const waiter of sameJob) waiter.settle("aborted");
      await events.close();
    },
  };
}
