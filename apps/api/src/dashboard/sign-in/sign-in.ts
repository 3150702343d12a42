/** Where the routes of the library are. */
export const authPath = "/dashboard/api/auth";

/** The routes of the library that the dashboard uses. No other is reachable. */
export type LibraryRoute = "/email-otp/send-verification-otp" | "/sign-in/email-otp" | "/sign-out" | "/revoke-sessions";

/** What the library refused a request with, such as a wrong code. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** The sign-in: the routes of the library, and the look-up of sessions. */
export type SignIn = {
  /**
   * Sends a request with the headers that matter to a route of the library. Throws Refused.
   *
   * @returns the cookies to set; or, if there were too many attempts, the seconds until the next.
   */
  ask(
    route: LibraryRoute,
    request: { origin: string; network: string; cookie: string | undefined; body: Record<string, string> },
  ): Promise<{ cookies: string[] } | { retryAfterSeconds: number }>;
  /**
   * Returns the account of the session whose cookie is among these (a `Cookie` header), and the cookies to set: a session
   * that is used lasts longer.
   */
  findSession(cookie: string): Promise<{ accountId: string | undefined; cookies: string[] }>;
};
