import { Problem } from "@video-to-json/contract";
import { type AccountCaller, type Db, findAccountCaller, retryWhileUnavailable } from "@video-to-json/database";
import type { Request, RequestHandler, Response } from "express";
import { lookUpInTurn } from "../../caller/arrival-turns.ts";
import { clientNetwork } from "../../caller/client-network.ts";
import { contextOf } from "../../http/context.ts";

export type SessionDeps = {
  readonly db: Db;
  readonly signIn: SignIn;
  readonly publicUrl: string | undefined;
  readonly databaseRetryMs: number;
};

/**
 * Accepts a request with a valid session cookie, and stores the caller of its account for `callerOf`, as the check of a
 * key does. These routes accept nothing else, not even an API key. Throws unauthorised.
 */
export function requireSession({ db, signIn, publicUrl, databaseRetryMs: ms }: SessionDeps): RequestHandler {
  return async (request, response, next) => {
    const cookie = request.get("cookie");
    const session = cookie === undefined ? undefined : await signIn.findSession(cookie);
    setCookies(response, session?.cookies ?? [], isSecure(request, publicUrl));
    const accountId = session?.accountId;
    const find = async () =>
      accountId === undefined ? undefined : lookUpInTurn(response, () => findAccountCaller(db, accountId));
    const caller = await retryWhileUnavailable(find, { ms });
    if (!caller) throw new Problem("unauthorised", { reason: "no_session" });
    contextOf(response).caller = caller;
    next();
  };
}

/** Returns the account that `requireSession` found. */
export function accountOf(response: Response): AccountCaller {
  return contextOf(response).caller as AccountCaller;
}

/**
 * Returns whether a cookie is safe from readers between the browser and us: the connection stays on this machine, or it
 * is TLS. TLS may end here, at a trusted proxy, or at the proxy that `publicUrl` names.
 */
export function isPrivateConnection(request: Request, publicUrl: string | undefined): boolean {
  return isSecure(request, publicUrl) || isLocal(request.hostname);
}

/** Returns whether the browser used TLS. */
function isSecure(request: Request, publicUrl: string | undefined): boolean {
  return request.secure || (publicUrl?.startsWith("https:") ?? false);
}

/** Returns whether browser and service are on one machine: both the host that the browser asked for and `publicUrl` name this machine. */
export function isOwnMachine(request: Request, publicUrl: string | undefined): boolean {
  return isLocal(request.hostname) && (publicUrl === undefined || isLocal(new URL(publicUrl).hostname));
}

function isLocal(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

export type AskSignInDeps = { readonly signIn: SignIn; readonly publicUrl: string | undefined };

type Exchange = { request: Request; response: Response };

/**
 * Calls a route of the sign-in on behalf of a browser, and sets the cookies of its answer. The body of the answer is
 * dropped, because it contains the session token, which pages must not see. Throws Refused, or Problem rate_limited.
 */
export async function askSignIn(
  { signIn, publicUrl }: AskSignInDeps,
  { request, response }: Exchange,
  route: LibraryRoute,
  body: Record<string, string> = {},
): Promise<void> {
  const answer = await signIn.ask(route, {
    origin: `${request.protocol}://${request.host}`,
    network: networkAddress(request),
    cookie: request.get("cookie"),
    body,
  });
  if ("retryAfterSeconds" in answer) throw tooManyAttempts(answer.retryAfterSeconds);
  setCookies(response, answer.cookies, isSecure(request, publicUrl));
}

/** Sets cookies, and adds `Secure` where the connection allows it. */
function setCookies(response: Response, cookies: readonly string[], secure: boolean): void {
  for (const cookie of cookies) response.append("Set-Cookie", secure ? `${cookie}; Secure` : cookie);
}

/** Returns the problem for too many attempts to sign in. */
export function tooManyAttempts(retryAfterSeconds: number): Problem {
  return new Problem("rate_limited", { reason: "There were too many attempts to sign in." }, { retryAfterSeconds });
}

/** The library requires an address, so an IPv6 network is represented by its first one. */
function networkAddress(request: Request): string {
  const network = clientNetwork(request.ip);
  return network === "unknown" ? "0.0.0.0" : network.replace("::/64", "::");
}

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
