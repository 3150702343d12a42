import { defaultLimits } from "@video-to-json/contract";
import { JobRecord } from "@video-to-json/contract/shapes/jobs";
import { findJob, retryWhileUnavailable } from "@video-to-json/database";
import { callerOf } from "../caller/authenticate.ts";
import { jobRecordText, tellSecondLook } from "../extract/job-answer.ts";
import { errorExample } from "../openapi/failures.ts";
import { type Examples, json } from "../openapi/operation.ts";
import { succeededJob } from "../openapi/samples.ts";
import { jobIdOf, jobIdParameter, jobNotFound, notAUuid, type Restored } from "./job-id-parameter.ts";
import type { Route } from "./route.ts";

type Deps = Restored;

/** `GET /v1/jobs/{id}`: a past extraction of the caller's account (specification, "GET /v1/jobs/{id}"). */
export const jobRoute: Route<Deps> = {
  method: "get",
  path: "/v1/jobs/{id}",
  use: { kind: "read", scope: "read" },
  operation: {
    operationId: "getJob",
    tag: "Extraction",
    summary: "Read a past extraction",
    description:
      "Recovers a result when the call that made it was cut off after the work was done and paid for. Only jobs of the same account can be read: a job of another account is `not_found`, as an unknown job is.",
    parameters: [jobIdParameter],
    responses: {
      200: { description: "The job.", headers: ["JobId", "SecondLookResult"], content: json(JobRecord, jobExamples()) },
    },
    failures: { scope: "lookup", invalidRequest: notAUuid },
  },
  handle: (deps) => async (request, response) => {
    const { db, databaseRetryMs: ms } = deps;
    const wanted = { id: jobIdOf(request), accountId: callerOf(response).accountId };
    const row = await retryWhileUnavailable(() => findJob(db, wanted), { ms });
    if (!row) throw await jobNotFound(deps, wanted);
    response.set("Job-Id", row.id);
    tellSecondLook(response, row);
    response.type("application/json").send(jobRecordText(row));
  },
};

/** One record for each state of a job. */
function jobExamples(): Examples {
  const unpaid = { ...succeededJob, data: null, billed_seconds: 0, model: null };
  const records: Record<JobRecord["status"], { summary: string; value: JobRecord }> = {
    succeeded: { summary: "It has succeeded and was charged", value: succeededJob },
    failed: {
      summary: "It has failed and cost nothing",
      value: { ...unpaid, status: "failed", error: errorExample("extraction_failed", defaultLimits) },
    },
    running: { summary: "It is running", value: { ...unpaid, status: "running", finished_at: null } },
    queued: {
      summary: "It waits for a worker",
      value: { ...unpaid, status: "queued", started_at: null, finished_at: null, video: null },
    },
  };
  return records;
}
