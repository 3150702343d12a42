import { Problem } from "./problem.ts";

/** The monthly limit of a key, and the part of it that is used. */
type KeyLimit = { name: string; display: string; limitSeconds: number; usedSeconds: number; monthEndsAt: Date };

/**
 * Returns the problem for a job whose seconds would exceed the monthly limit of its key. Its details contain the key
 * and the figures (docs/decisions/0001, "Dashboard and accounts").
 *
 * @param neededSeconds the price of the job, or its minimum.
 */
export function keyLimitReached({ name, display, monthEndsAt, ...limit }: KeyLimit, neededSeconds: number): Problem {
  const key = `${JSON.stringify(name)} (${display}…)`;
  const monthEnd = monthEndsAt.toISOString();
  const details = [
    `key: ${key}`,
    `limit: ${limit.limitSeconds} s a calendar month (UTC)`,
    `used: ${limit.usedSeconds} s, with what running jobs hold`,
    `month ends: ${monthEnd}`,
  ];
  return new Problem("out_of_minutes", { key, ...limit, neededSeconds, monthEnd }, { details });
}
