import { isMachineFault } from "@video-to-json/media";
import { PermitLost, type Permits, type RunningWorker } from "@video-to-json/queue";
import {
  type Dependency,
  type DependencyWatch,
  type WatchDeps,
  watchDependencies,
} from "@video-to-json/runtime/telemetry";

type HealthDeps = Omit<WatchDeps, "onLook"> & {
  /** Rejects if ffmpeg and ffprobe do not measure a known video before `signal` aborts. */
  provePrograms(signal: AbortSignal): Promise<void>;
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
  /** Aborts when jobs that need ffmpeg leave, because it does not work here, and another worker takes jobs. */
  leaving(): AbortSignal;
  /**
   * Returns whether this worker is at fault for a run that failed, by the error or because the worker fails its test
   * right after. The worker then takes no jobs. After failed runs of different jobs it pauses, whatever the test says.
   */
  isAtFault(job: { id: string }, error: unknown): Promise<boolean>;
  /** Call this after a run that ended its job: it shows that this worker can work. */
  hasEndedJob(): void;
  /** The provider has not replied to a request: tests at once whether it can be reached from here. */
  doubt(): void;
  /** Returns permits that end when this worker cannot reach the provider and another worker takes jobs. */
  guard(permits: Pick<Permits, "take">): Pick<Permits, "take">;
  /** Proves that the worker can work, and lets it take jobs from then on, as long as it can. */
  control(controlled: Controlled): void;
};

/** Each failed run makes the next pause twice as long, in milliseconds. */
const pauses = { first: 1000, longest: 30_000 };
/** After a pause the worker runs one job, until a run has ended a job or for this time, in milliseconds. */
const trialMs = 10_000;
/** Without these, running jobs leave for another worker. */
const leavable = ["provider", "programs"] as const;
/** How long the others have to find out that they cannot work either, in milliseconds. */
const leaveMs = 2000;
/**
 * A busy machine starts a program late, in milliseconds. The programs are proved that often, because a run that hangs
 * says nothing for minutes.
 */
const programsMs = { limit: 10_000, every: 30_000 };

/** Watches what a worker needs. It takes no jobs before `control`, and none while something required fails. */
export function openHealth(deps: HealthDeps, dependencies: readonly Dependency[]): WorkerHealth {
  let controlled: Controlled | undefined;
  let isProven = false;
  let stopped = new AbortController();
  stopped.abort();
  const left = { provider: new AbortController(), programs: new AbortController() };
  let pausedUntil = 0;
  let failedRuns = 0;
  let lastFailed: string | undefined;
  let proving: Promise<void> | undefined;
  let provedAt = Number.NEGATIVE_INFINITY;
  let trial: NodeJS.Timeout | undefined;

  const programs: Dependency = {
    ...{ name: "programs", address: "ffmpeg", isRequired: true, patienceMs: programsMs.limit },
    async check() {
      if (performance.now() - provedAt > programsMs.every) await provePrograms();
    },
  };
  const runs: Dependency = {
    ...{ name: "runs", address: "this worker", isRequired: true },
    async check() {
      if (performance.now() < pausedUntil) throw new Error(`The last ${failedRuns} runs failed. The log says why.`);
    },
  };
  const watch = watchDependencies({ ...deps, onLook: update }, [...dependencies, programs, runs]);

  /** Runs the proof of the programs. Calls that come while it runs wait for the same proof. */
  function provePrograms(): Promise<void> {
    proving ??= deps
      .provePrograms(AbortSignal.timeout(programsMs.limit))
      .then(() => {
        provedAt = performance.now();
      })
      .finally(() => {
        proving = undefined;
      });
    return proving;
  }

  function update(failed: readonly { dependency: string }[]): void {
    const failing = leavable.filter((name) => failed.some(({ dependency }) => dependency === name));
    for (const name of leavable)
      if (!failing.includes(name) && left[name].signal.aborted) left[name] = new AbortController();
    if (!controlled || !isProven) return;
    if (failed.length === 0 && stopped.signal.aborted) start(controlled);
    if (failed.length > 0 && !stopped.signal.aborted) {
      stop(controlled);
      for (const name of failing) setTimeout(leave, leaveMs, name).unref();
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
  async function leave(name: (typeof leavable)[number]): Promise<void> {
    const { failed } = await watch.check();
    if (!failed.some(({ dependency }) => dependency === name) || left[name].signal.aborted) return;
    if (!(await controlled?.hasOther().catch(() => false))) setTimeout(leave, leaveMs, name).unref();
    else left[name].abort(name === "provider" ? new PermitLost() : new Error("ffmpeg does not work here any more."));
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
    leaving: () => left.programs.signal,
    hasOther: async () => (await controlled?.hasOther().catch(() => false)) ?? false,
    async isAtFault({ id }, error) {
      const isProved = isMachineFault(error) || error === left.programs.signal.reason;
      if (isProved || (lastFailed !== undefined && lastFailed !== id)) pause();
      lastFailed = id;
      provedAt = Number.NEGATIVE_INFINITY;
      const proof =
        isProved ||
        provePrograms().then(
          () => true,
          () => false,
        );
      const [works, { failed }] = await Promise.all([proof, watch.check()]);
      return isProved || !works || failed.some(({ dependency }) => dependency !== "runs");
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
        const here = left.provider.signal;
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
