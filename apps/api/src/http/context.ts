import type { AccountCaller, KeyOwner } from "@video-to-json/database";
import { clientNetworks } from "@video-to-json/runtime/http";
import type { FairPlaces } from "@video-to-json/runtime/timing";
import type { Response } from "express";

/** The account behind a request, and its key. `keyId` null: the request came without a key, from the dashboard. */
export type Caller = Omit<KeyOwner, "keyId" | "hasEnded"> & {
  readonly keyId: string | null;
  /** The page where its owner makes keys, for messages about the key. */
  readonly keysUrl?: string | undefined;
};

/** What the steps of one request tell each other. Each member says which step writes it. */
export type Context = {
  /** The request's id: `requestId`, before every other step. */
  requestId: string;
  /** The caller: `authenticate`, or `requireSession` for the dashboard. */
  caller?: Caller | AccountCaller;
  /** The SHA-256 of a refused key, if it has the form of a key: `authenticate`. */
  refusedKey?: Buffer;
  /** The session of the dashboard, and when it began: `requireSession`. */
  session?: { readonly id: string; readonly createdAt: Date };
  /** The places for which an extraction waits before the look-up of its key: `takesArrivalTurn`. */
  arrivalTurns?: Pick<FairPlaces, "take">;
  /** Ends the turn of an extraction: `lookUpInTurn`. */
  endArrivalTurn?: () => void;
  /** The job behind a call over MCP: its tool. */
  jobId?: string;
  /** The error's code: the step that answers with an error. */
  code?: string;
  /** The status of the error that ended a stream, whose own status is 200: `streamAnswer`. */
  status?: number;
};

/** Which HTTP request a job came with, and from which network. */
export type RequestOrigin = { requestId: string; callerNetwork: string | undefined };

/** Returns which request this is, and the network that it came from. */
export function originOf(response: Response): RequestOrigin {
  return { requestId: contextOf(response).requestId, callerNetwork: clientNetworks(response.req.ip).at(-1) };
}

/** Returns the context of a request. Express keeps it with the response. */
export function contextOf(response: Response): Context {
  return response.locals as Context;
}
