/**
 * Returns the cost of a job in whole seconds (docs/decisions/0001, "Money"): the measured duration rounded to the
 * nearest second, or the minimum if the duration is shorter.
 */
export function billedSeconds(durationMs: number, minimumSeconds: number): number {
  return Math.max(minimumSeconds, roundedSeconds(durationMs));
}

/** Returns a duration in milliseconds as whole seconds; half a second rounds up. The length limit applies to this. */
export function roundedSeconds(durationMs: number): number {
  return Math.floor((durationMs + 500) / 1000);
}
