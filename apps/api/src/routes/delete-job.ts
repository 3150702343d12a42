import { Problem } from "@video-to-json/contract";
import { eraseJob, retryWhileUnavailable } from "@video-to-json/database";
import { callerOf } from "../caller/authenticate.ts";
import { jobIdOf, jobIdParameter, jobNotFound, type Restored } from "./job-id-parameter.ts";
import type { Route } from "./route.ts";

type Deps = Restored;

const stillOpen = "The job is queued or running. Delete it when it has finished.";

/** `DELETE /v1/jobs/{id}`: erases the contents of a finished job (docs/decisions/0001, "Listing jobs"). */
export const deleteJobRoute: Route<Deps> = {
  method: "delete",
  path: "/v1/jobs/{id}",
  use: { kind: "read", scope: "extract" },
  operation: {
    operationId: "deleteJob",
    tag: "Extraction",
    summary: "Delete a past extraction",
    description:
      "Erases the schema, the instructions, the data and the evidence of a job that has finished. From then on the job is `not_found`, and its `Idempotency-Key` starts a new job. The charge stays.",
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
