import type { FairPlaces } from "@video-to-json/runtime/timing";
import type { RequestHandler, Response } from "express";
import { contextOf } from "../http/context.ts";

type ArrivalTurns = Pick<FairPlaces, "take">;

/**
 * Limits how many extractions are between the look-up of their key and the arrival of their body. In a burst, the
 * queries of reads wait for these few only.
 */
export function takesArrivalTurn({ arrivalTurns }: { readonly arrivalTurns: ArrivalTurns }): RequestHandler {
  return (_request, response, next) => {
    contextOf(response).arrivalTurns = arrivalTurns;
    next();
  };
}

/**
 * Looks up the key of a request. Extractions wait for an arrival turn first; other requests do not. Only a live key
 * keeps the turn, until `endArrivalTurn` or the end of the response.
 */
export async function lookUpInTurn<T>(response: Response, find: () => Promise<T | undefined>): Promise<T | undefined> {
  const context = contextOf(response);
  const { arrivalTurns } = context;
  if (!arrivalTurns) return find();
  const turn = await arrivalTurns.take("all");
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    response.off("close", end);
    turn[Symbol.dispose]();
  };
  context.endArrivalTurn = end;
  response.once("close", end);
  // The caller has gone, or was refused because the turn came too late.
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
  contextOf(response).endArrivalTurn?.();
}
