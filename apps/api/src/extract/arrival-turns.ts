import type { RequestHandler, Response } from "express";
import type { AccountTurns } from "./account-turns.ts";

type ArrivalTurns = Pick<AccountTurns, "take">;

/**
 * Makes an extraction wait with the look-up of its key until few others are between that and their body. In a burst the
 * queries of reads wait behind these few, and not behind the whole burst.
 */
export function takesArrivalTurn({ arrivalTurns }: { readonly arrivalTurns: ArrivalTurns }): RequestHandler {
  return (_request, response, next) => {
    response.locals.arrivalTurns = arrivalTurns;
    next();
  };
}

/**
 * Looks up the key of a request: of an extraction in an arrival turn, of any other at once. Only a live key keeps the
 * turn, until `endArrivalTurn` or the end of the response.
 */
export async function lookUpInTurn<T>(response: Response, find: () => Promise<T | undefined>): Promise<T | undefined> {
  const arrivalTurns = response.locals.arrivalTurns as ArrivalTurns | undefined;
  if (!arrivalTurns) return find();
  const turn = await arrivalTurns.take("all");
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    response.off("close", end);
    turn[Symbol.dispose]();
  };
  response.locals.endArrivalTurn = end;
  response.once("close", end);
  // The caller has gone, or has been refused because the turn came too late.
  if (response.destroyed) return void end();
  let found: T | undefined;
  try {
    found = await find();
    return found;
  } finally {
    if (found === undefined) end();
  }
}

/** Ends the turn of an extraction. Its body may take any time. */
export function endArrivalTurn(response: Response): void {
  (response.locals.endArrivalTurn as () => void)();
}
