import { type Call, successOf } from "../../load/call.ts";
import type { Records } from "../records/read-records.ts";
import type { Place } from "./plant.ts";

/** Returns the two jobs in which violations are planted. Throws when the run has no such jobs: it was too short. */
export function jobsToPlantIn(calls: readonly Call[], { jobs, keys }: Records): Pick<Place, "jobId" | "failedId"> {
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
  if (jobId === undefined) throw new Error("No job with an Idempotency-Key succeeded for 60 s. Run longer.");
  return {
    jobId,
    failedId() {
      if (!failed) throw new Error("No job with an Idempotency-Key failed after its probe. Run longer.");
      return failed.id;
    },
  };
}
