import { type Limits, Problem } from "@video-to-json/contract";
import type { RunRecord } from "@video-to-json/contract/dashboard/jobs";
import { type Db, findIdempotencyKey, retryWhileUnavailable } from "@video-to-json/database";
import { uuidOf } from "../../routes/job-id-parameter.ts";
import type { Route } from "../../routes/route.ts";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = {
  /**
   * The handler of `POST /v1/extract`. It reads its caller from the response, so the session of a browser works as well
   * as a key.
   */
  readonly extract: ReturnType<Route<unknown>["handle"]>;
};

/** `POST extract`: the extraction of the playground. It has the same handler as the API's. */
export const playgroundRoute: DashboardRoute<Deps> = {
  method: "post",
  path: "/extract",
  extracts: true,
  handle: ({ extract }) => extract,
};

type RunDeps = { readonly db: Db; readonly databaseRetryMs: number; readonly limits: Pick<Limits, "idempotencyHours"> };

/** `GET runs/{id}`: the job that the account's extraction with this idempotency key made. */
export const runRoute: DashboardRoute<RunDeps> = {
  method: "get",
  path: "/runs/{id}",
  handle:
    ({ db, databaseRetryMs: ms, limits }) =>
    async (request, response) => {
      const { accountId } = accountOf(response);
      const key = uuidOf(request, "The idempotency key is not a UUID.");
      const query = { accountId, key, maxAgeHours: limits.idempotencyHours };
      const known = await retryWhileUnavailable(() => findIdempotencyKey(db, query), { ms });
      if (!known || known.erasedAt) throw new Problem("not_found", {});
      response.json({ job_id: known.jobId } satisfies RunRecord);
    },
};
