import { type ProblemCode, problems } from "@video-to-json/contract";
import type { Refusals } from "@video-to-json/contract/dashboard/keys";
import { type Db, listRefusedRequests, retryWhileUnavailable } from "@video-to-json/database";
import { keyOf } from "../rows.ts";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

/** `GET refusals`: the requests that were refused before a job existed. */
export const refusalsRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/refusals",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (_request, response) => {
      const { accountId } = accountOf(response);
      const rows = await retryWhileUnavailable(() => listRefusedRequests(db, accountId), { ms });
      const refusals = rows.map((row) => {
        const { title, advice } = problems[row.code as ProblemCode];
        const { code, route, count, requestId: request_id, lastAt } = row;
        return { code, title, advice, route, count, request_id, key: keyOf(row), last_at: lastAt.toISOString() };
      });
      response.json({ refusals } satisfies Refusals);
    },
};
