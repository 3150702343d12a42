import type { RequestHandler, Response } from "express";
import type { AccountTurns } from "./account-turns.ts";

type Deps = { readonly arrivalTurns: Pick<AccountTurns, "take"> };

/**
 * Makes extractions wait before their key is looked up, until few others are between that and their body. In a burst
 * the queries of reads wait behind these few, and not behind the whole burst.
 */
export function waitForArrivalTurn({ arrivalTurns }: Deps): RequestHandler {
  return async (_request, response, next) => {
    const turn = await arrivalTurns.take("all");
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
