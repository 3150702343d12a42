import type { JobProgress } from "@video-to-json/contract";
import { timePasses } from "./time-limit.ts";

/** Does one job. Must come to an end soon after `signal` aborts: from then on the job is another worker's. */
export type RunJob = (
  jobId: string,
  context: {
    /** Aborts when this worker has lost the job to another, and when it hands the job back at shutdown. */
    signal: AbortSignal;
    /** Publishes where the job is. Best effort: lost when Redis is away. */
    progress(progress: JobProgress): void;
  },
) => Promise<void>;

/** How a run went: through, with an error of its own, or cut short because the job is no longer this worker's. */
type RunOutcome = { is: "done" } | { is: "failed"; error: unknown } | { is: "lost" } | { is: "handed back" };

/** The jobs that one process is running. */
export type InFlightJobs = {
  start(jobId: string, progress: (progress: JobProgress) => void): Promise<RunOutcome>;
  /** Another worker may be running the job by now: this one must let go. */
  lose(jobId: string): void;
  /** What arrives from now on is handed back unstarted. */
  startNoMore(): void;
  /** Resolves when those running have ended, but after `ms` milliseconds at the latest. */
  ended(ms: number): Promise<void>;
  /** Every job is to be handed back, running or not. */
  handBackAll(): void;
  count(): number;
};

type Run = { controller: AbortController; lost: boolean; settled: Promise<unknown> };

const letGoMs = 2_000;

/** Keeps the book of running jobs: starts them, aborts them, says how each ended. */
export function openJobRuns(run: RunJob): InFlightJobs {
  const runs = new Map<string, Run>();
  let isStopping = false;

  async function start(jobId: string, progress: (progress: JobProgress) => void): Promise<RunOutcome> {
    if (isStopping) return { is: "handed back" };
    const earlier = runs.get(jobId);
    if (earlier) {
      // The queue delivers it again because this worker had lost it, and it has not let go yet.
      lose(jobId);
      await Promise.race([earlier.settled, timePasses(letGoMs)]);
      return { is: "handed back" };
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

    const outcome = await Promise.race([settled, letGoAfter(signal)]);
    if (entry.lost) return { is: "lost" };
    return signal.aborted && outcome?.is !== "done" ? { is: "handed back" } : (outcome ?? { is: "handed back" });
  }

  function lose(jobId: string): void {
    const entry = runs.get(jobId);
    if (!entry) return;
    entry.lost = true;
    entry.controller.abort(new Error("The worker has lost the job; another one has it by now."));
  }

  return {
    start,
    lose,
    startNoMore() {
      isStopping = true;
    },
    async ended(ms) {
      await Promise.race([Promise.all([...runs.values()].map(({ settled }) => settled)), timePasses(ms)]);
    },
    handBackAll() {
      isStopping = true;
      for (const { controller } of runs.values()) controller.abort(new Error("The worker is shutting down."));
    },
    count: () => runs.size,
  };
}

/** Resolves once a run has had its time to let go after the signal: the job is not held up by one that does not. */
async function letGoAfter(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await timePasses(letGoMs);
}
