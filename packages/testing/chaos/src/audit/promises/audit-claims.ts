import type { Evidence, Violation } from "../evidence.ts";
import type { JobRecord } from "../records/read-jobs.ts";

/**
 * Checks the writes of workers: the fence of each job counts its claims and never falls, its length is that of its
 * video, and the model of its answer was asked.
 */
export function auditClaims(evidence: Evidence): Violation[] {
  const { calls, records } = evidence;
  const lengths = new Map(calls.map(({ marker, video }) => [marker, video.durationMs]));
  const held = new Set(records.holds.map(({ jobId }) => jobId));
  const faults = [
    ...records.jobs.flatMap((job) =>
      [
        ...fenceFaults(job, evidence),
        ...lengthFaults(job, lengths.get(job.marker), held.has(job.id)),
        ...modelFaults(job, evidence),
      ].map((what) => `job ${job.id} ${what}`),
    ),
    ...unaskedModels(evidence),
  ];
  return faults.map((what) => ({ rule: "jobs are true", what }));
}

function fenceFaults({ id, fence, startedAt }: JobRecord, { fencesSeen }: Evidence): string[] {
  const seen = fencesSeen.get(id) ?? 0;
  return [
    ...(fence < seen ? [`has fence ${fence}, and had ${seen} before`] : []),
    ...(startedAt !== null && fence < 1 ? [`was started with fence ${fence}`] : []),
    ...(startedAt === null && fence > 0 ? [`has fence ${fence} and was never started`] : []),
  ];
}

function lengthFaults({ status, durationMs }: JobRecord, videoMs: number | undefined, hasHold: boolean): string[] {
  if (durationMs === null) return status === "succeeded" || hasHold ? ["was held or charged without a length"] : [];
  if (videoMs === undefined || durationMs === Math.round(videoMs)) return [];
  return [`is stored with ${durationMs} ms for a video of ${videoMs} ms`];
}

function modelFaults({ status, model }: JobRecord, { asked }: Evidence): string[] {
  if (status !== "succeeded" || model === null || asked.has(model)) return [];
  return [`has its answer from the model ${model}, which was never asked`];
}

/** The provider counts its requests, so no model can have given more answers. */
function unaskedModels({ records, asked }: Evidence): string[] {
  const succeeded = records.jobs.filter(({ status, model }) => status === "succeeded" && model !== null);
  return [...Map.groupBy(succeeded, ({ model }) => String(model))].flatMap(([model, jobs]) => {
    const requests = asked.get(model) ?? 0;
    return jobs.length > requests
      ? [`${jobs.length} jobs have answers of ${model}, which was asked ${requests} times`]
      : [];
  });
}
