import type { Limits } from "@video-to-json/contract";
import type { Session } from "@video-to-json/contract/dashboard/account";
import { accountOf, freshSeconds, sessionOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = {
  readonly limits: Pick<Limits, "maxVideoSeconds" | "maxUploadBytes" | "minimumBilledSeconds" | "moreMinutes">;
};

/** `GET session`: the account that is signed in, and the limits of the service. */
export const sessionRoute: DashboardRoute<Deps> = {
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
