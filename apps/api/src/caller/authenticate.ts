import { hashApiKey, isApiKey, Problem } from "@video-to-json/contract";
import { type Db, findCallerByKey, type KeyOwner, retryWhileUnavailable } from "@video-to-json/database";
import type { RequestHandler, Response } from "express";
import { lookUpInTurn } from "../extract/arrival-turns.ts";
import { clientNetwork } from "./client-network.ts";
import { limitUnauthorised, type UnauthorisedDeps } from "./limit-unauthorised.ts";

/** The account behind a request, and its key. `keyId` null: the request came without a key, from the dashboard. */
export type Caller = Omit<KeyOwner, "keyId" | "hasEnded"> & { readonly keyId: string | null };

export type AuthenticateDeps = UnauthorisedDeps & {
  readonly db: Db;
  readonly keyPrefix: string;
  readonly databaseRetryMs: number;
};

/**
 * Lets a request with a live bearer key pass and stores its caller for `callerOf` (specification, "Authentication").
 * Throws unauthorised for any other request, also for a key that has ended, and rate_limited if its network sends too
 * many of them. A mistyped key is refused by its checksum, without a look-up.
 */
export function authenticate({ db, keyPrefix, databaseRetryMs: ms, ...deps }: AuthenticateDeps): RequestHandler {
  const attempts = limitUnauthorised(deps);
  return async (request, response, next) => {
    const { authorization } = request.headers;
    const key = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    const network = clientNetwork(request.ip);
    // A network with too many guesses gets one look-up at a time.
    const find = (live: string) =>
      attempts.lookUp(network, () => lookUpInTurn(response, () => findCallerByKey(db, hashApiKey(live))));
    const owner = key && isApiKey(key, keyPrefix) ? await retryWhileUnavailable(() => find(key), { ms }) : undefined;
    if (!owner || owner.hasEnded) {
      await attempts.count(network, response);
      const whyUnknown = authorization === undefined ? "missing" : key ? "unknown" : "malformed";
      const reason = owner ? "ended" : whyUnknown;
      throw new Problem("unauthorised", { reason });
    }
    response.locals.caller = owner satisfies Caller;
    next();
  };
}

/** Returns the caller that `authenticate` found. */
export function callerOf(response: Response): Caller {
  return response.locals.caller as Caller;
}
