import { Problem } from "./problem.ts";

/** The monthly limit of a key, and what of it is used. */
type KeyLimit = { name: string; display: string; limitSeconds: number; usedSeconds: number; monthEndsAt: Date };

/**
 * Returns the problem for a job whose seconds would pass the monthly limit of its key. Its details name the key and the
 * figures (docs/decisions/0001, "Dashboard and accounts").
 *
 * @param neededSeconds what the job costs, or at least costs.
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
