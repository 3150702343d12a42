import { hashApiKey, isApiKey, Problem } from "@video-to-json/contract";
import { type Db, findCallerByKey, retryWhileUnavailable } from "@video-to-json/database";
import type { RequestHandler, Response } from "express";
import { addressOf } from "./address-of.ts";
import { openUnauthorisedAttempts } from "./unauthorised-attempts.ts";

/** The account behind a request's key. */
export type Caller = NonNullable<Awaited<ReturnType<typeof findCallerByKey>>>;

type Deps = { readonly db: Db; readonly keyPrefix: string; readonly databaseRetryMs: number } & Parameters<
  typeof openUnauthorisedAttempts
>[0];

/**
 * Lets a request with a live bearer key pass and remembers its caller (specification, "Authentication"). Any other is
 * unauthorised, or rate_limited when too many come from one address. A mistyped key is refused without a look-up.
 */
export function authenticate({ db, keyPrefix, databaseRetryMs: ms, ...deps }: Deps): RequestHandler {
  const attempts = openUnauthorisedAttempts(deps);
  return async (request, response, next) => {
    const key = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const address = addressOf(request.ip);
    const caller =
      key && isApiKey(key, keyPrefix)
        ? await retryWhileUnavailable(() => attempts.lookUp(address, () => findCallerByKey(db, hashApiKey(key))), {
            ms,
          })
        : undefined;
    if (!caller) {
      await attempts.count(address, response);
      const { authorization } = request.headers;
      const reason = authorization === undefined ? "missing" : key ? "unknown" : "malformed";
      throw new Problem("unauthorised", { reason });
    }
    response.locals.caller = caller;
    next();
  };
}

/** The caller that `authenticate` found. */
export function callerOf(response: Response): Caller {
  return response.locals.caller as Caller;
}
