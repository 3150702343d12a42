import type { Account } from "@video-to-json/contract";
import { type Db, retryWhileUnavailable } from "@video-to-json/database";
import { balance } from "@video-to-json/ledger";
import type { RequestHandler } from "express";
import { callerOf } from "../caller/authenticate.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

/** `GET /v1/me`: the account behind the key and its balance (specification, "GET /v1/me"). */
export function me({ db, databaseRetryMs: ms }: Deps): RequestHandler {
  return async (_request, response) => {
    const caller = callerOf(response);
    const seconds = await retryWhileUnavailable(() => balance(db, caller.accountId), { ms });
    response.json({
      email: caller.email,
      minutes_remaining: seconds / 60,
      seconds_remaining: seconds,
    } satisfies Account);
  };
}
