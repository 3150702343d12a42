/**
 * The cost of a job in whole seconds (docs/decisions/0001, "Money"): rounded to the nearest second, halves up, and never
 * below the minimum. Takes the measured duration in milliseconds.
 */
export function billedSeconds(durationMs: number, minimumSeconds: number): number {
  return Math.max(minimumSeconds, roundedSeconds(durationMs));
}

/** A duration in milliseconds as whole seconds, halves up: the figure that the length limit is judged on. */
export function roundedSeconds(durationMs: number): number {
  return Math.floor((durationMs + 500) / 1000);
}
