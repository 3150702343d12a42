import { clipMember, type JobStage, jobStages, Problem } from "@video-to-json/contract";
import type { DashboardJob, StageTiming } from "@video-to-json/contract/dashboard/jobs";
import type { ErrorInside } from "@video-to-json/contract/shapes/service";
import { findJobWithKey, retryWhileUnavailable } from "@video-to-json/database";
import { evidenceTextOf, secondLookCountsOf } from "../../extract/job-answer.ts";
import { deleteJobRoute as apiRoute } from "../../routes/job.ts";
import { jobIdOf, jobNotFound, type Restored } from "../../routes/job-id-parameter.ts";
import { keyOf } from "../rows.ts";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Stages = Partial<Record<JobStage, number>>;

/** `GET jobs/{id}`: everything about one job of the account. */
export const jobRoute: DashboardRoute<Restored> = {
  method: "get",
  path: "/jobs/{id}",
  handle: (deps) => async (request, response) => {
    const { db, databaseRetryMs: ms } = deps;
    const wanted = { id: jobIdOf(request), accountId: accountOf(response).accountId };
    const row = await retryWhileUnavailable(() => findJobWithKey(db, wanted), { ms });
    if (!row) throw await jobNotFound(deps, wanted);
    response.json({
      id: row.id,
      status: row.status,
      created_at: row.createdAt.toISOString(),
      started_at: row.startedAt?.toISOString() ?? null,
      finished_at: row.finishedAt?.toISOString() ?? null,
      instructions: row.instructions,
      video: row.durationMs === null ? null : { duration_seconds: row.durationMs / 1000 },
      billed_seconds: row.billedSeconds,
      model: row.model,
      error: row.errorText === null ? null : (JSON.parse(row.errorText) as ErrorInside),
      schema_text: row.schemaText,
      data_text: row.dataText,
      clip: clipMember(row),
      detail: row.detail ?? "standard",
      wants_evidence: row.wantsEvidence,
      title: row.title,
      key: keyOf(row),
      attempts: row.attempts,
      timings: timingsOf(row),
      second_look: secondLookCountsOf(row) ?? null,
    } satisfies DashboardJob);
  },
};

/** The wait before the first claim, then the stages of the run that ended the job, in order. */
function timingsOf(row: { stagesText: string | null; createdAt: Date; startedAt: Date | null }): StageTiming[] | null {
  if (row.stagesText === null) return null;
  const stages = JSON.parse(row.stagesText) as Stages;
  const queued = row.startedAt
    ? [{ stage: "queued" as const, ms: row.startedAt.getTime() - row.createdAt.getTime() }]
    : [];
  return [
    ...queued,
    ...jobStages.flatMap((stage) => (stages[stage] === undefined ? [] : [{ stage, ms: stages[stage] }])),
  ];
}

/** `DELETE jobs/{id}`: erases the contents of a finished job, as the API does. */
export const deleteJobRoute: DashboardRoute<Parameters<typeof apiRoute.handle>[0]> = {
  method: "delete",
  path: "/jobs/{id}",
  handle: apiRoute.handle,
};

/** `GET jobs/{id}/evidence`: the evidence of a job, as the API shows it. */
export const jobEvidenceRoute: DashboardRoute<Restored> = {
  method: "get",
  path: "/jobs/{id}/evidence",
  handle: (deps) => async (request, response) => {
    const text = await evidenceTextOf(deps, { id: jobIdOf(request), accountId: accountOf(response).accountId });
    if (text === undefined) throw new Problem("not_found", {});
    response.type("application/json").send(text);
  },
};
