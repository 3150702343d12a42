import { Problem } from "./problem.ts";

/**
 * Returns the problem with which an overdue job fails: `provider_unavailable`, or `too_many_jobs` if no worker started it
 * (docs/decisions/0001, "Limits").
 */
export function overdueProblem(started: boolean): Problem {
  return started
    ? new Problem("provider_unavailable", { reason: "No answer came in time." })
    : new Problem("too_many_jobs", { reason: "The job did not start in time, and nothing was charged." });
}
