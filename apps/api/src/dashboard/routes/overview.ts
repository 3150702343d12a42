import type { Overview } from "@video-to-json/contract/dashboard/account";
import {
  countFailedJobs,
  type Db,
  findJobsPage,
  listDailyUsage,
  listKeys,
  retryWhileUnavailable,
} from "@video-to-json/database";
import { balances, granted } from "@video-to-json/database/money";
import { dayOf, toListedJob } from "../rows.ts";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number; readonly publicUrl: string | undefined };

const recentJobs = 5;

/** `GET overview`: what the first page shows. */
export const overviewRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/overview",
  handle:
    ({ db, databaseRetryMs: ms, publicUrl }) =>
    async (request, response) => {
      const { accountId } = accountOf(response);
      const today = dayOf(new Date());
      const month = { accountId, fromDay: `${today.slice(0, 8)}01`, toDay: today };
      const read = () =>
        Promise.all([
          balances(db, accountId),
          granted(db, accountId),
          listDailyUsage(db, month),
          countFailedJobs(db, month),
          findJobsPage(db, { accountId, limit: recentJobs, filter: {} }),
          listKeys(db, accountId),
        ]);
      const [{ balance, available }, grants, debits, failures, page, keys] = await retryWhileUnavailable(read, { ms });
      response.json({
        balance_seconds: balance,
        held_seconds: balance - available,
        granted_seconds: grants,
        month: {
          billed_seconds: sumOf(debits, "seconds"),
          succeeded: sumOf(debits, "jobs"),
          failed: sumOf(failures, "jobs"),
        },
        recent_jobs: page.jobs.map(toListedJob),
        key_count: keys.filter(({ state }) => state === "live").length,
        base_url: publicUrl?.replace(/\/+$/, "") ?? `${request.protocol}://${request.host}`,
      } satisfies Overview);
    },
};

function sumOf(rows: readonly { seconds: number; jobs: number }[], member: "seconds" | "jobs"): number {
  return rows.reduce((sum, row) => sum + row[member], 0);
}
