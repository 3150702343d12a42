import { Problem } from "@video-to-json/contract";
import type { Db } from "@video-to-json/database";
import { evidenceTextOf } from "../../extract/job-answer.ts";
import { jobIdOf } from "../../routes/job-id-parameter.ts";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

/** `GET jobs/{id}/evidence`: the evidence of a job, as the API shows it. */
export const jobEvidenceRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/jobs/{id}/evidence",
  handle: (deps) => async (request, response) => {
    const job = { id: jobIdOf(request), accountId: accountOf(response).accountId };
    const text = await evidenceTextOf(deps, job);
    if (text === undefined) throw new Problem("not_found", {});
    response.type("application/json").send(text);
  },
};
