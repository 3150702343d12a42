import type { Session } from "@video-to-json/contract/dashboard/sign-in";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

/** `GET session`: the account that is signed in. */
export const sessionRoute: DashboardRoute<unknown> = {
  method: "get",
  path: "/session",
  handle: () => (_request, response) => {
    const { email, accountId, createdAt, retentionDays } = accountOf(response);
    response.json({
      email,
      account_id: accountId,
      created_at: createdAt.toISOString(),
      retention_days: retentionDays as Session["retention_days"],
    } satisfies Session);
  },
};
