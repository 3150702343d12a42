import type { JobProgress } from "@video-to-json/contract";
import { unrefDelay } from "@video-to-json/timing";

/** Runs one job. Must end soon after `signal` aborts: from then on the job belongs to another worker. */
export type RunJob = (
  jobId: string,
  context: {
    /** Aborts when this worker has lost the job to another, and when it requeues the job at shutdown. */
    signal: AbortSignal;
    /** Publishes the progress of the job. Best effort: progress is lost while Redis is unavailable. */
    progress(progress: JobProgress): void;
  },
) => Promise<void>;

/** How a run ended. `lost`: the job belongs to another worker. `requeue`: the caller must return it to the queue. */
type RunOutcome = { is: "done" } | { is: "failed"; error: unknown } | { is: "lost" } | { is: "requeue" };

/** The jobs that one process runs. */
export type InFlightJobs = {
  start(jobId: string, progress: (progress: JobProgress) => void): Promise<RunOutcome>;
  /** Aborts a job that another worker may run by now. */
  lose(jobId: string): void;
  /** Makes `start` requeue every further job without running it. */
  stopStarting(): void;
  /** Resolves when all runs have ended, or after `ms` milliseconds. */
  finished(ms: number): Promise<void>;
  /** Aborts all runs so that their jobs are requeued. Implies `stopStarting`. */
  requeueAll(): void;
  count(): number;
};

type Run = { controller: AbortController; lost: boolean; settled: Promise<unknown> };

/** How long an aborted run may take before its job is requeued without waiting for it. */
const abortGraceMs = 2_000;

/** Tracks the jobs in flight: starts them, aborts them and reports how each ended. */
export function createInFlightJobs(run: RunJob): InFlightJobs {
  const runs = new Map<string, Run>();
  let isStopping = false;

  async function start(jobId: string, progress: (progress: JobProgress) => void): Promise<RunOutcome> {
    if (isStopping) return { is: "requeue" };
    const earlier = runs.get(jobId);
    if (earlier) {
      // The queue delivers the job again because this worker lost it, and the first run has not ended yet.
      lose(jobId);
      await Promise.race([earlier.settled, unrefDelay(abortGraceMs)]);
      return { is: "requeue" };
    }
    const controller = new AbortController();
    const { signal } = controller;
    const running = (async () => run(jobId, { signal, progress }))();
    const settled: Promise<RunOutcome> = running.then(
      () => ({ is: "done" }),
      (error: unknown) => ({ is: "failed", error }),
    );
    const entry: Run = { controller, lost: false, settled };
    runs.set(jobId, entry);
    void settled.then(() => runs.delete(jobId));

    const outcome = await Promise.race([settled, abortGraceOver(signal)]);
    if (entry.lost) return { is: "lost" };
    if (outcome === undefined) return { is: "requeue" };
    return signal.aborted && outcome.is === "failed" ? { is: "requeue" } : outcome;
  }

  function lose(jobId: string): void {
    const entry = runs.get(jobId);
    if (!entry) return;
    entry.lost = true;
    entry.controller.abort(new Error("This worker has lost the job to another one."));
  }

  return {
    start,
    lose,
    stopStarting() {
      isStopping = true;
    },
    async finished(ms) {
      await Promise.race([Promise.all([...runs.values()].map(({ settled }) => settled)), unrefDelay(ms)]);
    },
    requeueAll() {
      isStopping = true;
      for (const { controller } of runs.values()) controller.abort(new Error("The worker is shutting down."));
    },
    count: () => runs.size,
  };
}

/** Resolves `abortGraceMs` after the signal aborts, so that a run that ignores its signal does not block its job. */
async function abortGraceOver(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await unrefDelay(abortGraceMs);
}
