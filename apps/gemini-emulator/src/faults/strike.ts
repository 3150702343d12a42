import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { ConnectionLost, type Reply } from "../protocol/reply.ts";
import type { Fault, Operation } from "./fault.ts";
import type { FaultPlan, RequestFacts } from "./fault-plan.ts";
import { statusError } from "./status-error.ts";

/**
 * Lets the next planned fault strike a request. Throws what ends the request at once (ApiError for a status,
 * ConnectionLost for a dropped or hanging connection); gives back the fault that its handler has to act out.
 */
export async function strike(
  deps: { faults: FaultPlan; closing: AbortSignal },
  request: IncomingMessage,
  operation: Operation,
  facts: RequestFacts,
): Promise<Fault | undefined> {
  const { fault, latencyMs } = deps.faults.take(operation, facts);
  if (latencyMs > 0) await waitWhileOpen(request, latencyMs, deps.closing);
  switch (fault?.kind) {
    case "status":
      throw statusError(fault, facts.model ?? "gemini");
    case "hang":
      await waitWhileOpen(request, fault.ms ?? forever, deps.closing);
      throw new ConnectionLost();
    case "drop":
      if (fault.afterBytes === undefined) throw new ConnectionLost();
      return fault;
    case "malformed-body":
      throw new ConnectionLost({ reply: brokenBody, bytes: Number.POSITIVE_INFINITY });
    case "malformed-json":
      if (operation === "generate") return fault;
      throw new ConnectionLost({ reply: brokenBody, bytes: Number.POSITIVE_INFINITY });
    default:
      return fault;
  }
}

const forever = 2 ** 31 - 1;
const brokenBody: Reply = { status: 200, text: '{"file": {"name": "files/' };

/** Waits, but no longer than the connection or the server lasts; throws ConnectionLost when they end first. */
async function waitWhileOpen(request: IncomingMessage, ms: number, closing: AbortSignal): Promise<void> {
  const gone = new AbortController();
  const onClose = () => gone.abort();
  request.socket.once("close", onClose);
  try {
    await delay(ms, undefined, { signal: AbortSignal.any([gone.signal, closing]) });
  } catch {
    throw new ConnectionLost();
  } finally {
    request.socket.off("close", onClose);
  }
}
