import { Problem } from "@video-to-json/contract";
import { Retention } from "@video-to-json/contract/dashboard/account";
import { type Db, retryWhileUnavailable, setRetention } from "@video-to-json/database";
import { deleteAccount } from "@video-to-json/database/money";
import type { ApiMetrics } from "@video-to-json/runtime/telemetry";
import { createBodyReader, type ReadBodyDeps } from "../read-body.ts";
import { accountOf, cookieAttributes, setCookies } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = {
  readonly db: Db;
  readonly databaseRetryMs: number;
  readonly publicUrl: string | undefined;
  readonly metrics: Pick<ApiMetrics, "jobsEnded">;
};

/** `PUT account/retention`: after how many days the contents of jobs are erased. */
export const retentionRoute: DashboardRoute<Deps & ReadBodyDeps> = {
  method: "put",
  path: "/account/retention",
  handle: (deps) => {
    const readBody = createBodyReader(deps, Retention);
    return async (request, response) => {
      const { days } = await readBody(request, response);
      const { accountId } = accountOf(response);
      await retryWhileUnavailable(() => setRetention(deps.db, accountId, days), { ms: deps.databaseRetryMs });
      response.json({ days } satisfies Retention);
    };
  },
};

/** `DELETE account`: ends the account, its keys and its sessions, and erases the contents of its jobs. */
export const deleteAccountRoute: DashboardRoute<Deps> = {
  method: "delete",
  path: "/account",
  needsFreshSession: true,
  handle:
    ({ db, databaseRetryMs: ms, metrics, publicUrl }) =>
    async (request, response) => {
      const { accountId } = accountOf(response);
      const error = new Problem("unauthorised", { reason: "account_deleted" }).toInside();
      const onJobFailed = () => metrics.jobsEnded.inc({ outcome: error.code, by: "deletion" });
      await retryWhileUnavailable(() => deleteAccount(db, { accountId, error, onJobFailed }), { ms });
      setCookies({ request, response }, publicUrl, [`v2j.session_token=; Max-Age=0; ${cookieAttributes}`]);
      response.status(204).end();
    },
};
