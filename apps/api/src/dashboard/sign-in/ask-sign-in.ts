import { Problem } from "@video-to-json/contract";
import type { Request, Response } from "express";
import { clientNetwork } from "../../caller/client-network.ts";
import { isSecure } from "./private-connection.ts";
import type { LibraryRoute, SignIn } from "./sign-in.ts";

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
export function setCookies(response: Response, cookies: readonly string[], secure: boolean): void {
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
