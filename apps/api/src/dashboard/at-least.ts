import { setTimeout as delay } from "node:timers/promises";

/**
 * Runs `work` and resolves after `ms` milliseconds at the earliest, so that the response time does not reveal what the
 * work found.
 */
export async function atLeast<T>(ms: number, work: Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work, delay(ms)]);
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}
