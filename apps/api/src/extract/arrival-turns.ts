import { withTimeLimit } from "@video-to-json/timing";
import type { RequestHandler, Response } from "express";
import { databaseUnavailable } from "../errors/database-unavailable.ts";
import type { AccountTurns } from "./account-turns.ts";

type Deps = { readonly arrivalTurns: Pick<AccountTurns, "take">; readonly databaseRetryMs: number };

/**
 * Makes extractions wait before their key is looked up, until few others are between that and their body. In a burst
 * the queries of reads wait behind these few, and not behind the whole burst. A request that gets
 * no turn in the time in which it may wait for the database is answered with provider_unavailable.
 */
export function waitForArrivalTurn({ arrivalTurns, databaseRetryMs }: Deps): RequestHandler {
  return async (_request, response, next) => {
    const taking = arrivalTurns.take("all");
    const turn = await withTimeLimit(databaseRetryMs, () => databaseUnavailable(undefined), taking).catch((error) => {
      void taking.then((late) => late[Symbol.dispose]());
      throw error;
    });
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      turn[Symbol.dispose]();
    };
    response.locals.endArrivalTurn = end;
    response.once("close", end);
    if (response.destroyed) end();
    next();
  };
}

/** Ends the turn that `waitForArrivalTurn` took. The body may take any time. */
export function endArrivalTurn(response: Response): void {
  (response.locals.endArrivalTurn as () => void)();
}
