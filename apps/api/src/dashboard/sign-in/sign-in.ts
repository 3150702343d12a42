/** The path of the library's routes. */
export const authPath = "/dashboard/api/auth";

/** The routes of the library that the dashboard uses. No other is reachable. */
export type LibraryRoute = "/email-otp/send-verification-otp" | "/sign-in/email-otp" | "/sign-out" | "/revoke-sessions";

/** The library refused a request, for example because of a wrong code. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** The sign-in: the library's routes, and the look-up of sessions. */
export type SignIn = {
  /**
   * Sends a request to a route of the library, with the headers that matter. Throws Refused.
   *
   * @returns the cookies to set; after too many attempts, the seconds until the next one.
   */
  ask(
    route: LibraryRoute,
    request: { origin: string; network: string; cookie: string | undefined; body: Record<string, string> },
  ): Promise<{ cookies: string[] } | { retryAfterSeconds: number }>;
  /** Finds the session in a `Cookie` header. Returns its account, and the cookies that extend the session. */
  findSession(cookie: string): Promise<{ accountId: string | undefined; cookies: string[] }>;
};
