import { hashApiKey, isApiKey, Problem } from "@video-to-json/contract";
import { type Db, findCallerByKey, type KeyOwner, retryWhileUnavailable } from "@video-to-json/database";
import type { RequestHandler, Response } from "express";
import { lookUpInTurn } from "../extract/arrival-turns.ts";
import { clientNetwork } from "./client-network.ts";
import { limitUnauthorised, type UnauthorisedDeps } from "./limit-unauthorised.ts";

/** The account behind a request's key. */
export type Caller = KeyOwner;

export type AuthenticateDeps = UnauthorisedDeps & {
  readonly db: Db;
  readonly keyPrefix: string;
  readonly databaseRetryMs: number;
};

/**
 * Lets a request with a live bearer key pass and stores its caller for `callerOf` (specification, "Authentication").
 * Any other request is unauthorised, or rate_limited if its network sends too many. A mistyped key is refused by its
 * checksum, without a look-up.
 */
export function authenticate({ db, keyPrefix, databaseRetryMs: ms, ...deps }: AuthenticateDeps): RequestHandler {
  const attempts = limitUnauthorised(deps);
  return async (request, response, next) => {
    const { authorization } = request.headers;
    const key = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    const network = clientNetwork(request.ip);
    // Of a network with too many guesses, one look-up at a time waits for a turn.
    const find = (live: string) =>
      attempts.lookUp(network, () => lookUpInTurn(response, () => findCallerByKey(db, hashApiKey(live))));
    const caller = key && isApiKey(key, keyPrefix) ? await retryWhileUnavailable(() => find(key), { ms }) : undefined;
    if (!caller) {
      await attempts.count(network, response);
      const reason = authorization === undefined ? "missing" : key ? "unknown" : "malformed";
      throw new Problem("unauthorised", { reason });
    }
    response.locals.caller = caller;
    next();
  };
}

/** Returns the caller that `authenticate` found. */
export function callerOf(response: Response): Caller {
  return response.locals.caller as Caller;
}
