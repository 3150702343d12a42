import { Account } from "@video-to-json/contract/shapes/service";
import { type Db, retryWhileUnavailable } from "@video-to-json/database";
import { balance } from "@video-to-json/database/money";
import { callerOf } from "../caller/authenticate.ts";
import { json } from "../openapi/operation.ts";
import type { Route } from "./route.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

/** `GET /v1/me`: the account behind the key and its balance (specification, "GET /v1/me"). */
export const meRoute: Route<Deps> = {
  method: "get",
  path: "/v1/me",
  use: { kind: "read", scope: "read" },
  operation: {
    operationId: "getAccount",
    tag: "Account",
    summary: "Read the account behind the key and its balance",
    description: "Cheap enough to call before a batch. The balance includes what is reserved for running jobs.",
    responses: {
      200: {
        description: "The account.",
        content: json(Account, {
          account: {
            summary: "A little over 25 minutes are left",
            value: { email: "caller@example.com", minutes_remaining: 25.55, seconds_remaining: 1533 } satisfies Account,
          },
        }),
      },
    },
  },
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (_request, response) => {
      const caller = callerOf(response);
      const seconds = await retryWhileUnavailable(() => balance(db, caller.accountId, caller.checkpoint), { ms });
      const account: Account = {
        email: caller.email,
        minutes_remaining: seconds / 60,
        seconds_remaining: seconds,
      };
      response.json(account);
    },
};
