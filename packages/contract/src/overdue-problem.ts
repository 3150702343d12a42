import { Problem } from "./problem.ts";

/**
 * What a job ends with when its whole life is over (docs/decisions/0001, "Limits"): `provider_unavailable`, or
 * `too_many_jobs` if it never started. Nothing is charged.
 */
export function overdueProblem(started: boolean): Problem {
  return started
    ? new Problem("provider_unavailable", "No answer came in time. Nothing was charged; retry with backoff.")
    : new Problem("too_many_jobs", "The job never got its turn in time. Nothing was charged; retry later.");
}
