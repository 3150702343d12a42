import { Problem } from "@video-to-json/contract";
import { MinuteMails, Retention } from "@video-to-json/contract/dashboard/account";
import { type Db, readMinuteMails, retryWhileUnavailable, setMinuteMails, setRetention } from "@video-to-json/database";
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

/** `GET account/mails`: whether mails about used minutes come. */
export const minuteMailsRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/account/mails",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (_request, response) => {
      const { accountId } = accountOf(response);
      const minutes = await retryWhileUnavailable(() => readMinuteMails(db, accountId), { ms });
      response.json({ minutes } satisfies MinuteMails);
    },
};

/** `PUT account/mails`: switches mails about used minutes on or off. */
export const setMinuteMailsRoute: DashboardRoute<Deps & ReadBodyDeps> = {
  method: "put",
  path: "/account/mails",
  handle: (deps) => {
    const readBody = createBodyReader(deps, MinuteMails);
    return async (request, response) => {
      const { minutes } = await readBody(request, response);
      const { accountId } = accountOf(response);
      await retryWhileUnavailable(() => setMinuteMails(deps.db, accountId, minutes), { ms: deps.databaseRetryMs });
      response.json({ minutes } satisfies MinuteMails);
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
