import { type Call, successOf } from "../../load/call.ts";
import type { Records } from "../records/read-records.ts";

/**
 * Returns the ids of the two jobs in which violations are planted. Throws when the run has no such jobs: it was too short.
 */
export function jobsToPlantIn(calls: readonly Call[], { jobs, keys }: Records): { jobId: string; failedId: string } {
  const keyed = new Set(keys.map(({ jobId }) => jobId));
  const succeeded = calls.flatMap(({ idempotencyKey, attempts }) =>
    idempotencyKey === undefined ? [] : attempts.flatMap((attempt) => successOf(attempt)?.jobId ?? []),
  );
  const told = new Set(
    calls.flatMap(({ attempts }) =>
      attempts.flatMap(({ outcome }) => (outcome.is === "answered" && outcome.code ? (outcome.jobId ?? []) : [])),
    ),
  );
  const cost60 = new Set(jobs.flatMap(({ id, billedSeconds }) => (billedSeconds === 60 ? [id] : [])));
  const jobId = succeeded.findLast((id) => cost60.has(id));
  const failed = jobs.findLast(
    ({ id, status, durationMs, fence }) =>
      status === "failed" && durationMs !== null && fence === 1 && keyed.has(id) && told.has(id),
  );
  if (jobId === undefined || !failed)
    throw new Error("No suitable jobs: one that succeeded for 60 s and one that failed, both with keys. Run longer.");
  return { jobId, failedId: failed.id };
}
