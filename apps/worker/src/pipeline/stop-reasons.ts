/** The job's own deadline passed while it ran. */
export class DeadlinePassed extends Error {
  constructor() {
    super("the job's deadline passed");
    this.name = "DeadlinePassed";
  }
}

/** The job is no longer this worker's: ended by somebody else, or claimed anew. Nothing of it may be written. */
export class JobTaken extends Error {
  constructor() {
    super("the job is over, or another worker's");
    this.name = "JobTaken";
  }
}

/** A signal that stops when the job is taken away or its deadline passes, whichever is first. */
export function deadlineSignal(taken: AbortSignal, deadlineAt: Date): { signal: AbortSignal; forget(): void } {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DeadlinePassed()), Math.max(0, deadlineAt.getTime() - Date.now()));
  return { signal: AbortSignal.any([taken, late.signal]), forget: () => clearTimeout(timer) };
}
