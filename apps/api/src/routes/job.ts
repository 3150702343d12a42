import { defaultLimits, Problem } from "@video-to-json/contract";
import { Evidence } from "@video-to-json/contract/shapes/evidence";
import { JobRecord } from "@video-to-json/contract/shapes/jobs";
import { eraseJob, findJob, retryWhileUnavailable } from "@video-to-json/database";
import { callerOf } from "../caller/authenticate.ts";
import { evidenceTextOf, jobRecordText, tellSecondLook } from "../extract/job-answer.ts";
import { type Examples, errorExample, json } from "../openapi/operation.ts";
import { evidence, succeededJob } from "../openapi/samples.ts";
import { jobIdOf, jobIdParameter, jobNotFound, notAUuid, type Restored } from "./job-id-parameter.ts";
import type { Route } from "./route.ts";

/** `GET /v1/jobs/{id}`: a past extraction of the caller's account (specification, "GET /v1/jobs/{id}"). */
export const jobRoute: Route<Restored> = {
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

/** `GET /v1/jobs/{id}/evidence`: the evidence of each value of a job's data (docs/decisions/0001, "Evidence"). */
export const evidenceRoute: Route<Restored> = {
  method: "get",
  path: "/v1/jobs/{id}/evidence",
  use: { kind: "read", scope: "read" },
  operation: {
    operationId: "getEvidence",
    tag: "Extraction",
    summary: "Read the evidence of an extraction",
    description:
      "Lists for each value of the data where the video shows it, with quotes and the results of the checks. Only for an extraction that succeeded and whose request had `Extract-Evidence: fields`. Any other job is `not_found`, as an unknown job is.",
    parameters: [jobIdParameter],
    responses: {
      200: {
        description: "The evidence.",
        headers: ["JobId"],
        content: json(Evidence, { goals: { summary: "The evidence of the goals of a match", value: evidence } }),
      },
    },
    failures: { scope: "lookup", invalidRequest: notAUuid },
  },
  handle: (deps) => async (request, response) => {
    const job = { id: jobIdOf(request), accountId: callerOf(response).accountId };
    const text = await evidenceTextOf(deps, job);
    if (text === undefined) throw await jobNotFound(deps, job);
    response.set("Job-Id", job.id);
    response.type("application/json").send(text);
  },
};

const stillOpen = "The job is queued or running. Delete it when it has finished.";

/** `DELETE /v1/jobs/{id}`: erases the contents of a finished job (docs/decisions/0001, "Listing jobs"). */
export const deleteJobRoute: Route<Restored> = {
  method: "delete",
  path: "/v1/jobs/{id}",
  use: { kind: "read", scope: "extract" },
  operation: {
    operationId: "deleteJob",
    tag: "Extraction",
    summary: "Delete a past extraction",
    description:
      "Erases the schema, the instructions, the data and the evidence of a job that has finished. Later requests for the job get `not_found`, and its `Idempotency-Key` starts a new job. The charge stays.",
    parameters: [jobIdParameter],
    responses: { 204: { description: "The job is erased.", headers: ["JobId"] } },
    failures: { scope: "lookup", invalidRequest: stillOpen },
  },
  handle: (deps) => async (request, response) => {
    const { db, databaseRetryMs: ms } = deps;
    const job = { id: jobIdOf(request), accountId: callerOf(response).accountId };
    const erasure = await retryWhileUnavailable(
      // An earlier attempt of this request may have erased it.
      async (again) => ({ is: await eraseJob(db, job), again }),
      { ms },
    );
    if (erasure.is === "open") throw new Problem("invalid_request", { reason: stillOpen });
    const isErased = erasure.is === "erased" || (erasure.is === "erased earlier" && erasure.again);
    if (!isErased) throw await jobNotFound(deps, job);
    response.set("Job-Id", job.id).status(204).end();
  },
};
