import { hashApiKey, isApiKey, Problem } from "@video-to-json/contract";
import { type Db, findCallerByKey } from "@video-to-json/database";
import type { RequestHandler, Response } from "express";

/** The account behind a request's key. */
export type Caller = NonNullable<Awaited<ReturnType<typeof findCallerByKey>>>;

type Deps = { readonly db: Db; readonly keyPrefix: string };

/** Lets a request with a live bearer key pass and remembers its caller (specification, "Authentication"). */
export function authenticate({ db, keyPrefix }: Deps): RequestHandler {
  return async (request, response, next) => {
    const key = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const caller = key && isApiKey(key, keyPrefix) ? await findCallerByKey(db, hashApiKey(key)) : undefined;
    if (!caller) throw new Problem("unauthorised", refusal(request.headers.authorization, key));
    response.locals.caller = caller;
    next();
  };
}

/** The caller that `authenticate` found. */
export function callerOf(response: Response): Caller {
  return response.locals.caller as Caller;
}

function refusal(header: string | undefined, key: string | undefined): string {
  if (header === undefined) return "The key is missing. Send `Authorization: Bearer <API_KEY>`.";
  if (!key) return "The Authorization header is malformed. Send `Authorization: Bearer <API_KEY>`.";
  return "The key is unknown, mistyped or revoked. Check it, or make a new one in the dashboard.";
}
