import { isMachineFault } from "@video-to-json/media";
import { PermitLost, type Permits, type RunningWorker } from "@video-to-json/queue";
import {
  type Dependency,
  type DependencyWatch,
  type WatchDeps,
  watchDependencies,
} from "@video-to-json/runtime/telemetry";

type HealthDeps = Omit<WatchDeps, "onLook"> & {
  /** Rejects if ffmpeg and ffprobe do not start. */
  startPrograms(): Promise<void>;
};

/** The part of a worker's queue that its health controls, and what it tells other workers. */
type Controlled = {
  readonly worker: Pick<RunningWorker, "pause" | "resume">;
  /** How many jobs the worker runs at once. */
  readonly places: number;
  /** Lets the other workers know whether this one takes jobs. */
  tell(): Promise<unknown>;
  /** Returns whether another worker takes jobs. */
  hasOther(): Promise<boolean>;
};

/** Decides whether this worker takes jobs (docs/decisions/0001, "Health decides who works"). */
export type WorkerHealth = DependencyWatch & {
  isTaking(): boolean;
  /** Aborts when this worker stops taking jobs. */
  taking(): AbortSignal;
  /** Returns whether another worker takes jobs. */
  hasOther(): Promise<boolean>;
  /**
   * Returns whether this worker is at fault for a run that failed, by the error or because the worker fails its test
   * right after. The worker then takes no jobs. After failed runs of different jobs it pauses, whatever the test says.
   */
  isAtFault(job: { id: string }, error: unknown): Promise<boolean>;
  /** A run has ended its job, so this worker can work. */
  hasEndedJob(): void;
  /** The provider has not replied to a request: tests at once whether it can be reached from here. */
  doubt(): void;
  /** Returns permits that are lost while the provider cannot be reached from here, and another worker takes jobs. */
  guard(permits: Pick<Permits, "take">): Pick<Permits, "take">;
  /** Proves that the worker can work, and lets it take jobs from then on, as long as it can. */
  control(controlled: Controlled): void;
};

/** Each failed run makes the next pause twice as long, in milliseconds. */
const pauses = { first: 1000, longest: 30_000 };
/** After a pause the worker runs one job, until a run has ended a job or for this time, in milliseconds. */
const trialMs = 10_000;
/** How long the others have to find out too that the provider cannot be reached, in milliseconds. */
const leaveMs = 2000;
/** A busy machine starts a program late, in milliseconds. */
const programsPatienceMs = 10_000;

/** Watches what a worker needs. It takes no jobs before `control`, and none while something required fails. */
export function openHealth(deps: HealthDeps, dependencies: readonly Dependency[]): WorkerHealth {
  let controlled: Controlled | undefined;
  let isProven = false;
  let stopped = new AbortController();
  stopped.abort();
  let left = new AbortController();
  let pausedUntil = 0;
  let failedRuns = 0;
  let lastFailed: string | undefined;
  let hasPrograms = false;
  let trial: NodeJS.Timeout | undefined;

  const programs: Dependency = {
    ...{ name: "programs", address: "ffmpeg", isRequired: true, patienceMs: programsPatienceMs },
    async check() {
      if (hasPrograms) return;
      await deps.startPrograms();
      hasPrograms = true;
    },
  };
  const runs: Dependency = {
    ...{ name: "runs", address: "this worker", isRequired: true },
    async check() {
      if (performance.now() < pausedUntil) throw new Error(`The last ${failedRuns} runs failed. The log says why.`);
    },
  };
  const watch = watchDependencies({ ...deps, onLook: update }, [...dependencies, programs, runs]);

  function update(failed: readonly { dependency: string }[]): void {
    const providerFails = failed.some(({ dependency }) => dependency === "provider");
    if (!providerFails && left.signal.aborted) left = new AbortController();
    if (!controlled || !isProven) return;
    if (failed.length === 0 && stopped.signal.aborted) start(controlled);
    if (failed.length > 0 && !stopped.signal.aborted) {
      stop(controlled);
      if (providerFails) setTimeout(leaveProvider, leaveMs).unref();
    }
  }

  function start({ worker, places, tell }: Controlled): void {
    stopped = new AbortController();
    worker.resume(failedRuns > 0 ? 1 : places);
    clearTimeout(trial);
    if (failedRuns > 0) trial = setTimeout(endTrial, trialMs).unref();
    void tell().catch(() => {});
  }

  function stop({ worker, tell }: Controlled): void {
    worker.pause();
    stopped.abort();
    void tell().catch(() => {});
  }

  function endTrial(): void {
    clearTimeout(trial);
    if (controlled && !stopped.signal.aborted) controlled.worker.resume(controlled.places);
  }

  /** Running jobs go to another worker, if one can work. Otherwise they wait here. */
  async function leaveProvider(): Promise<void> {
    const { failed } = await watch.check();
    if (!failed.some(({ dependency }) => dependency === "provider") || left.signal.aborted) return;
    if (await controlled?.hasOther().catch(() => false)) left.abort(new PermitLost());
    else setTimeout(leaveProvider, leaveMs).unref();
  }

  function pause(): void {
    if (stopped.signal.aborted) return;
    const ms = Math.min(pauses.longest, pauses.first * 2 ** failedRuns);
    failedRuns += 1;
    pausedUntil = performance.now() + ms;
    setTimeout(() => void watch.check(), ms + 1).unref();
  }

  return {
    ...watch,
    isTaking: () => !stopped.signal.aborted,
    taking: () => stopped.signal,
    hasOther: async () => (await controlled?.hasOther().catch(() => false)) ?? false,
    async isAtFault({ id }, error) {
      const isProved = isMachineFault(error);
      if (isProved || (lastFailed !== undefined && lastFailed !== id)) pause();
      lastFailed = id;
      hasPrograms = false;
      const { failed } = await watch.check();
      return isProved || failed.some(({ dependency }) => dependency !== "runs");
    },
    hasEndedJob() {
      lastFailed = undefined;
      if (failedRuns > 0 && !stopped.signal.aborted) {
        failedRuns = 0;
        endTrial();
      }
    },
    doubt: () => void watch.check(),
    guard: ({ take }) => ({
      async take(account, signal) {
        const here = left.signal;
        const permit = await take(account, AbortSignal.any([signal, here]));
        return { ...permit, signal: AbortSignal.any([permit.signal, here]) };
      },
    }),
    control(given) {
      controlled = given;
      void watch.check().then(({ failed }) => {
        isProven = true;
        update(failed);
      });
    },
  };
}
