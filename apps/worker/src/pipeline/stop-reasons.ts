import { steadyNow } from "@video-to-json/runtime/timing";
/** The deadline of the job passed while it ran. */
export class DeadlinePassed extends Error {
  constructor() {
    super("The job's deadline passed.");
    this.name = "DeadlinePassed";
  }
}

/** The job has finished, or another claim has it. This run must write nothing more. */
export class JobTaken extends Error {
  constructor() {
    super("The job has finished, or another worker has claimed it.");
    this.name = "JobTaken";
  }
}

/** Returns a signal that aborts with `signal`, or with DeadlinePassed at the deadline. Disposing it stops the timer. */
export function withDeadline(signal: AbortSignal, deadlineAt: Date): Disposable & { signal: AbortSignal } {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DeadlinePassed()), Math.max(0, deadlineAt.getTime() - steadyNow()));
  return {
    signal: AbortSignal.any([signal, late.signal]),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
