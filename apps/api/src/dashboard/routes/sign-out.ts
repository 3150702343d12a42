import { Problem } from "@video-to-json/contract";
import { type AskSignInDeps, askSignIn, Refused } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

/** `POST auth/sign-out`: ends the session of this browser. */
export const signOutRoute: DashboardRoute<AskSignInDeps> = signOut("/sign-out");

/** `POST auth/revoke-sessions`: ends every session of the account, including this browser's. */
export const revokeSessionsRoute: DashboardRoute<AskSignInDeps> = signOut("/revoke-sessions");

function signOut(route: "/sign-out" | "/revoke-sessions"): DashboardRoute<AskSignInDeps> {
  return {
    method: "post",
    path: `/auth${route}`,
    handle: (deps) => async (request, response) => {
      await askSignIn(deps, { request, response }, route).catch((error: unknown) => {
        // Another request may have ended the session meanwhile.
        if (error instanceof Refused) throw new Problem("unauthorised", { reason: "no_session" });
        throw error;
      });
      response.json({ success: true });
    },
  };
}
