import { Problem } from "@video-to-json/contract";
import { type AccountCaller, type Db, findAccountCaller, retryWhileUnavailable } from "@video-to-json/database";
import type { RequestHandler, Response } from "express";
import { lookUpInTurn } from "../../extract/arrival-turns.ts";
import { setCookies } from "./ask-sign-in.ts";
import { isSecure } from "./private-connection.ts";
import type { SignIn } from "./sign-in.ts";

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
    response.locals.caller = caller;
    next();
  };
}

/** Returns the account that `requireSession` found. */
export function accountOf(response: Response): AccountCaller {
  return response.locals.caller as AccountCaller;
}
