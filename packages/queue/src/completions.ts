import type { JobProgress } from "@video-to-json/contract";
import { openErrorReport } from "./error-report.ts";
import { openEndedLook } from "./finished-job-poller.ts";
import { listenToJobs } from "./job-events.ts";
import type { QueueOptions } from "./queue-options.ts";

/** What completions are opened with. */
export type CompletionsOptions = QueueOptions & {
  /** Asks the database which of these jobs have ended. May fail: that is reported, and it is asked again. */
  findEnded(jobIds: string[]): Promise<string[]>;
  /** How often everything waited for is looked up, come what may; 2000 if not given. */
  lookEveryMs?: number;
};

/** How a wait ended. Only `ended` says something about the job: the database calls it ended. */
type WaitOutcome = "ended" | "deadline" | "aborted";

type WaitOptions = {
  deadline: Date;
  signal?: AbortSignal;
  /** Hears where the job is, while Redis answers. */
  onProgress?(progress: JobProgress): void;
};

/** The end of jobs, awaited. */
export type Completions = {
  /** Waits until the job has ended, the deadline has come or the signal says so. Any number may wait; never rejects. */
  wait(jobId: string, options: WaitOptions): Promise<WaitOutcome>;
  /** How many wait. */
  waiting(): number;
  /** Resolves when Redis answers; rejects within about two seconds. Waits are answered without it too, only later. */
  ready(): Promise<void>;
  /** Ends every wait as `aborted`. */
  close(): Promise<void>;
};

type Waiter = { settle(outcome: WaitOutcome): void; onProgress: ((progress: JobProgress) => void) | undefined };

const longestTimerMs = 2 ** 31 - 1;

/** How long a timer for this date runs; no time at all for one that has passed or is no date. */
function msUntil(date: Date): number {
  return Math.min(Math.max(date.getTime() - Date.now(), 0) || 0, longestTimerMs);
}

/**
 * Opens the process' one place to wait for jobs. Events of the queue are wake-ups carrying an id; whether a job has
 * ended is asked of the database: on the event, when a wait begins, on every connection, and every two seconds for
 * all that wait. So no wake-up is lost between enqueueing and waiting, and Redis being away costs time, not answers.
 */
export function openCompletions(options: CompletionsOptions): Completions {
  const report = openErrorReport(options.onError);
  const waiters = new Map<string, Set<Waiter>>();
  let closed = false;

  const look = openEndedLook({
    findEnded: async (jobIds) => options.findEnded(jobIds),
    found: (jobId) => {
      for (const waiter of waiters.get(jobId) ?? []) waiter.settle("ended");
    },
    report,
  });
  const lookAtAll = () => look.at(waiters.keys());
  const ticking = setInterval(lookAtAll, options.lookEveryMs ?? 2_000).unref();

  const events = listenToJobs(
    { redisUrl: options.redisUrl, prefix: options.prefix, report },
    {
      ended: (jobId) => {
        if (waiters.has(jobId)) look.at([jobId]);
      },
      progress: (jobId, progress) => {
        for (const waiter of waiters.get(jobId) ?? []) tell(waiter, progress);
      },
      connected: lookAtAll,
    },
  );

  function tell(waiter: Waiter, progress: JobProgress): void {
    try {
      waiter.onProgress?.(progress);
    } catch (error) {
      report(error);
    }
  }

  function wait(jobId: string, { deadline, signal, onProgress }: WaitOptions): Promise<WaitOutcome> {
    if (closed || signal?.aborted) return Promise.resolve("aborted");
    return new Promise((resolve) => {
      const others = waiters.get(jobId) ?? new Set();
      const abort = () => waiter.settle("aborted");
      const timer = setTimeout(() => waiter.settle("deadline"), msUntil(deadline));
      const waiter: Waiter = {
        settle(outcome) {
          if (!others.delete(waiter)) return;
          clearTimeout(timer);
          signal?.removeEventListener("abort", abort);
          if (others.size === 0) waiters.delete(jobId);
          resolve(outcome);
        },
        onProgress,
      };
      signal?.addEventListener("abort", abort, { once: true });
      waiters.set(jobId, others.add(waiter));
      look.at([jobId]);
    });
  }

  return {
    wait,
    waiting: () => [...waiters.values()].reduce((sum, { size }) => sum + size, 0),
    ready: () => events.answers(),
    async close() {
      closed = true;
      clearInterval(ticking);
      look.close();
      for (const ofOneJob of waiters.values()) for (const waiter of ofOneJob) waiter.settle("aborted");
      await events.close();
    },
  };
}
