import { setTimeout as delay } from "node:timers/promises";

/** Does some work and answers no sooner than after `ms` milliseconds, so that the time does not say what the work found. */
export async function atLeast<T>(ms: number, work: Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work, delay(ms)]);
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}
