import { Evidence } from "@video-to-json/contract/shapes/evidence";
import type { Db } from "@video-to-json/database";
import { callerOf } from "../caller/authenticate.ts";
import { evidenceTextOf } from "../extract/job-answer.ts";
import { json } from "../openapi/operation.ts";
import { evidence } from "../openapi/samples.ts";
import { jobIdOf, jobIdParameter, jobNotFound, notAUuid, type Restored } from "./job-id-parameter.ts";
import type { Route } from "./route.ts";

type Deps = Restored & { readonly db: Db; readonly databaseRetryMs: number };

/** `GET /v1/jobs/{id}/evidence`: the evidence of each value of a job's data (docs/decisions/0001, "Evidence"). */
export const evidenceRoute: Route<Deps> = {
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
