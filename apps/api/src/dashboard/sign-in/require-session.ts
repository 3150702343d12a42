import { isIP } from "node:net";
import { Problem } from "@video-to-json/contract";
import { type AccountCaller, type Db, findAccountCaller, retryWhileUnavailable } from "@video-to-json/database";
import { clientNetworks } from "@video-to-json/runtime/http";
import { isPublicAddress } from "@video-to-json/runtime/public-address";
import type { Request, RequestHandler, Response } from "express";
import { lookUpInTurn } from "../../caller/arrival-turns.ts";
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
    const cookie = cookiesOf(request, publicUrl);
    const session = cookie === undefined ? undefined : await signIn.findSession(cookie);
    setCookies({ request, response }, publicUrl, session?.cookies ?? []);
    const accountId = session?.found?.accountId;
    const find = async () =>
      accountId === undefined ? undefined : lookUpInTurn(response, () => findAccountCaller(db, accountId));
    const caller = await retryWhileUnavailable(find, { ms });
    if (!caller) throw new Problem("unauthorised", { reason: "no_session" });
    Object.assign(contextOf(response), { caller, session: session?.found });
    next();
  };
}

const freshMs = 10 * 60_000;

/** Returns the session that `requireSession` found. */
export function sessionOf(response: Response): FoundSession {
  return contextOf(response).session as FoundSession;
}

/** Returns how many seconds longer a session is fresh, by the clock that the library uses; 0 if it no longer is. */
export function freshSeconds({ createdAt }: FoundSession): number {
  return Math.max(0, Math.ceil((createdAt.getTime() + freshMs - Date.now()) / 1000));
}

/**
 * Accepts a request whose sign-in is fresh. The finder of an open browser, or of a cookie, can neither make a key that
 * lasts longer than the session nor delete the account. Throws invalid_request.
 */
export const requireFreshSession: RequestHandler = (_request, response, next) => {
  if (freshSeconds(sessionOf(response)) === 0) {
    throw new Problem("invalid_request", { reason: "You signed in more than ten minutes ago. Sign in again first." });
  }
  next();
};

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

/**
 * Returns whether browser and service are on one machine: both the host that the browser asked for and `publicUrl` name this
 * machine, and the request comes from no public address. A stranger may write any host.
 */
export function isOwnMachine(request: Request, publicUrl: string | undefined): boolean {
  const from = (request.ip ?? "").replace(/^::ffff:/i, "");
  const isOwnHost = isLocal(request.hostname) && (publicUrl === undefined || isLocal(new URL(publicUrl).hostname));
  return isOwnHost && isIP(from) > 0 && !isPublicAddress(from);
}

/** The host that passkeys are made for and work at: that of `publicUrl`. */
export function passkeyHost(publicUrl: string | undefined): string {
  return publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname;
}

function isLocal(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

export type AskSignInDeps = { readonly signIn: SignIn; readonly publicUrl: string | undefined };

export type Exchange = { request: Request; response: Response };

/**
 * Calls a route of the sign-in on behalf of a browser, and sets the cookies of its answer. Throws Refused.
 *
 * @param browser the nonce of the browser that asked for the code.
 * @returns the body of the answer. That of a sign-in contains the session token, which pages must not see.
 */
export async function askSignIn(
  { signIn, publicUrl }: AskSignInDeps,
  { request, response }: Exchange,
  route: LibraryRoute,
  { browser, body = {} }: { browser?: string; body?: object } = {},
): Promise<LibraryAnswer["body"]> {
  const origin = `${request.protocol}://${request.host}`;
  const cookie = cookiesOf(request, publicUrl);
  const network = clientNetworks(request.ip).at(-1) ?? "unknown";
  const answer = await signIn.ask(route, { origin, cookie, browser, network, body });
  setCookies({ request, response }, publicUrl, answer.cookies);
  return answer.body;
}

// Only this host can set a cookie with this prefix, and only over https. Browsers refuse it over http, so that at
// localhost the cookies have no prefix.
const hostPrefix = "__Host-";

/** The path of the cookies where they have no prefix. The prefix requires the path `/`. */
export const cookieAttributes = "Path=/dashboard; HttpOnly; SameSite=Lax";

/** Returns the header of the cookies that a browser sent, with their names as `setCookies` got them. */
export function cookiesOf(request: Request, publicUrl: string | undefined): string | undefined {
  const header = request.get("cookie");
  if (header === undefined || !isSecure(request, publicUrl)) return header;
  const own = header.split(/; */).filter((pair) => pair.startsWith(hostPrefix));
  return own.map((pair) => pair.slice(hostPrefix.length)).join("; ");
}

/** Sets cookies. Over https they get `Secure` and the prefix, so that no other host can set them. */
export function setCookies(
  { request, response }: Exchange,
  publicUrl: string | undefined,
  cookies: readonly string[],
): void {
  const secure = isSecure(request, publicUrl);
  for (const cookie of cookies) {
    const made = secure ? `${hostPrefix}${cookie.replace("; Path=/dashboard", "; Path=/")}; Secure` : cookie;
    response.append("Set-Cookie", made);
  }
}

/** The path of the library's routes. */
export const authPath = "/dashboard/api/auth";

/** The routes of the library that the dashboard uses, with their methods. No other is reachable. */
export const libraryRoutes = {
  "/email-otp/send-verification-otp": "POST",
  "/sign-in/email-otp": "POST",
  "/passkey/generate-authenticate-options": "GET",
  "/passkey/verify-authentication": "POST",
  "/passkey/generate-register-options": "GET",
  "/passkey/verify-registration": "POST",
  "/sign-out": "POST",
  "/revoke-sessions": "POST",
} as const;
export type LibraryRoute = keyof typeof libraryRoutes;

/** What a route of the library answers. A sign-in answers with its user. */
export type LibraryAnswer = {
  readonly cookies: string[];
  readonly body: { readonly user?: { readonly email: string } };
};

/** The library refused a request, for example because of a wrong code. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** The session that a cookie opens. */
export type FoundSession = { readonly id: string; readonly accountId: string; readonly createdAt: Date };

/** The sign-in: the library's routes, and the look-up of sessions. */
export type SignIn = {
  /**
   * Sends a request to a route of the library, with the headers that matter. Throws Refused.
   *
   * @param request.browser the nonce that a code belongs to.
   * @param request.network the network that grants are counted by.
   * @returns the cookies to set, and the body of the answer.
   */
  ask(
    route: LibraryRoute,
    request: {
      origin: string;
      cookie: string | undefined;
      browser: string | undefined;
      network: string;
      body: object;
    },
  ): Promise<LibraryAnswer>;
  /** Returns the signature of a text, by the secret that signs the cookies. */
  sign(text: string): Promise<string>;
  /** Finds the session in a `Cookie` header. Returns it, and the cookies that extend it. */
  findSession(cookie: string): Promise<{ found: FoundSession | undefined; cookies: string[] }>;
};
