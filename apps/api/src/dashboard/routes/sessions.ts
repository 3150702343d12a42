import { type Limits, Problem } from "@video-to-json/contract";
import type { Session, SessionRecords } from "@video-to-json/contract/dashboard/account";
import { type Db, endSession, listSessions, retryWhileUnavailable } from "@video-to-json/database";
import { uuidOf } from "../../routes/job-id-parameter.ts";
import { accountOf, freshSeconds, sessionOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

/** `GET sessions`: where the account is signed in. */
export const sessionsRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/sessions",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (_request, response) => {
      const rows = await retryWhileUnavailable(() => listSessions(db, accountOf(response).accountId), { ms });
      const sessions = rows.map(({ id, createdAt, updatedAt, expiresAt }) => ({
        id,
        created_at: createdAt.toISOString(),
        last_used_at: updatedAt.toISOString(),
        ends_at: expiresAt.toISOString(),
        is_current: id === sessionOf(response).id,
      }));
      response.json({ sessions } satisfies SessionRecords);
    },
};

/** `DELETE sessions/{id}`: ends a session, at once. */
export const endSessionRoute: DashboardRoute<Deps> = {
  method: "delete",
  path: "/sessions/{id}",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (request, response) => {
      const { accountId } = accountOf(response);
      const id = uuidOf(request, "The id of the session is not a UUID. Send its `id`.");
      if (!(await retryWhileUnavailable(() => endSession(db, { id, accountId }), { ms })))
        throw new Problem("not_found", {});
      response.status(204).end();
    },
};

type LimitsDeps = {
  readonly limits: Pick<Limits, "maxVideoSeconds" | "maxUploadBytes" | "minimumBilledSeconds" | "moreMinutes">;
};

/** `GET session`: the account that is signed in, and the limits of the service. */
export const sessionRoute: DashboardRoute<LimitsDeps> = {
  method: "get",
  path: "/session",
  handle:
    ({ limits }) =>
    (_request, response) => {
      const { email, accountId, createdAt, retentionDays } = accountOf(response);
      response.json({
        email,
        account_id: accountId,
        created_at: createdAt.toISOString(),
        fresh_seconds: freshSeconds(sessionOf(response)),
        retention_days: retentionDays as Session["retention_days"],
        limits: {
          max_video_seconds: limits.maxVideoSeconds,
          max_upload_bytes: limits.maxUploadBytes,
          minimum_billed_seconds: limits.minimumBilledSeconds,
          more_minutes: limits.moreMinutes,
        },
      } satisfies Session);
    },
};
