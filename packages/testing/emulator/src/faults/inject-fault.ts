import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { ConnectionLost, EarlyReply, type Reply } from "../protocol/reply.ts";
import type { Fault, Operation } from "./fault.ts";
import type { FaultPlan, RequestFacts } from "./fault-plan.ts";
import { statusError } from "./status-error.ts";

/** What the injection of faults needs. */
export type FaultDeps = {
  readonly faults: FaultPlan;
  /** Aborted when the emulator closes. */
  readonly closing: AbortSignal;
};

/**
 * Injects the planned faults into a request: waits for the latency, then ends the request or lets it continue.
 *
 * Returns the fault that the handler of the request applies itself, if any.
 * Throws `ApiError` for a status, `ConnectionLost` for a dropped or hanging connection, `EarlyReply` for a broken body.
 */
export async function injectFault(
  deps: FaultDeps,
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
      await waitWhileOpen(request, fault.ms ?? maxDelayMs, deps.closing);
      throw new ConnectionLost();
    case "drop":
      if (fault.afterBytes === undefined) throw new ConnectionLost();
      return fault;
    case "malformed-body":
      throw new EarlyReply(brokenBody);
    case "malformed-json":
      if (operation === "generate") return fault;
      throw new EarlyReply(brokenBody);
    default:
      return fault;
  }
}

/** The longest delay that a Node.js timer accepts. */
const maxDelayMs = 2 ** 31 - 1;
const brokenBody: Reply = { status: 200, text: '{"file": {"name": "files/' };

/** Waits `ms` milliseconds. Throws `ConnectionLost` if the connection or the emulator closes first. */
async function waitWhileOpen(request: IncomingMessage, ms: number, closing: AbortSignal): Promise<void> {
  const closed = new AbortController();
  const onClose = () => closed.abort();
  request.socket.once("close", onClose);
  try {
    await delay(ms, undefined, { signal: AbortSignal.any([closed.signal, closing]) });
  } catch {
    throw new ConnectionLost();
  } finally {
    request.socket.off("close", onClose);
  }
}
