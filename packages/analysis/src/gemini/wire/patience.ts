import { unavailable } from "../questions/refusal.ts";
import { ServiceFault } from "./service-fault.ts";

/** Time, as far as this room feels it: `wait` rejects with the reason of `signal` as soon as that aborts. */
export type Clock = { now(): number; wait(ms: number, signal: AbortSignal): Promise<void> };

/** What retries are made with; `onRateLimited` hears of every 429 and how long it asks for. */
export type Patience = {
  clock: Clock;
  log: { info(obj: object, msg: string): void; warn(obj: object, msg: string): void };
  onRateLimited(delayMs: number): void;
};

/** Whose work waits, and until when; `tries`: how often at most, where that is less than usual. */
export type PatientRun = { jobId: string | null; signal: AbortSignal; deadline: Date; tries?: number };

const firstPauseMs = 500;
const longestPauseMs = 16_000;
const pauseForDailyQuotaMs = 60_000;

/**
 * Does `attempt` again while its fault may pass (broken connections, 408, 429, 5xx, replies that are not JSON).
 * Throws ServiceFault for a fault that asking again cannot change, Problem `provider_unavailable` when the tries or the
 * time are used up, and the reason of the run's signal once that aborts.
 */
export async function withPatience<T>(
  patience: Patience,
  run: PatientRun,
  what: string,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    run.signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      run.signal.throwIfAborted();
      if (!(error instanceof ServiceFault) || !mayPass(error)) throw error;
      await pauseAfter(patience, run, what, error, failures);
    }
  }
}

/** Whether the same request may succeed later. */
export function mayPass(fault: ServiceFault): boolean {
  const { status } = fault;
  return status === null || isOk(status) || status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/**
 * Waits before the next try, as long as the service asks for or else ever longer, with jitter. Throws Problem
 * `provider_unavailable` when this was one failure too many, or when the pause would not end before the deadline.
 */
export async function pauseAfter(
  patience: Patience,
  run: PatientRun,
  what: string,
  fault: ServiceFault,
  failures: number,
): Promise<void> {
  const { clock, log } = patience;
  const grown = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
  const asked = fault.retryAfterMs ?? (fault.spent ? pauseForDailyQuotaMs : grown);
  const pauseMs = Math.round(asked + (Math.random() * grown) / 2);
  if (fault.status === 429) patience.onRateLimited(pauseMs);
  const about = { jobId: run.jobId, what, status: fault.status, reason: fault.reason, fault: fault.message, failures };
  const tries = Math.min(triesAfter(fault), run.tries ?? Number.POSITIVE_INFINITY);
  if (fault.spent || failures >= tries || clock.now() + pauseMs >= run.deadline.getTime()) {
    log.warn({ ...about, pauseMs }, "the analysis service stays unavailable");
    throw unavailable(fault, pauseMs);
  }
  log.info({ ...about, pauseMs }, "the analysis service is asked again after a pause");
  await clock.wait(pauseMs, run.signal);
}

function triesAfter(fault: ServiceFault): number {
  const { status } = fault;
  return status !== null && (isOk(status) || status === 500 || status === 504) ? 4 : 7;
}

/** A success whose content was not what the protocol promises. */
function isOk(status: number): boolean {
  return status >= 200 && status <= 299;
}
