import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { mersenne } from "pure-rand/generator/mersenne";
import { ConnectionLost, EarlyReply, type Reply } from "../protocol/reply.ts";
import { type Fault, type Operation, type RequestFacts, statusError } from "./fault.ts";

/** The fault to inject into a request, if any, and the latency before it. */
type Injection = { fault: Fault | undefined; latencyMs: number };

/** The faults that are still to be injected. */
export type FaultPlan = {
  replace(faults: readonly Fault[]): void;
  /**
   * Counts the request for every fault that matches it. Returns the first fault that is due and the sum of the
   * latencies that are due.
   */
  take(operation: Operation, facts?: RequestFacts): Injection;
  /** Returns the number of injections that remain. A fault without end counts as one. */
  left(): number;
};

/** Creates an empty plan. The same faults and requests lead to the same injections: each fault has its own seed. */
export function createFaultPlan(): FaultPlan {
  let planned: PlannedFault[] = [];
  return {
    replace: (faults) => {
      planned = faults.map(planFault);
    },
    take(operation, facts = {}) {
      const injection: Injection = { fault: undefined, latencyMs: 0 };
      for (const entry of planned.filter(({ fault }) => matches(fault, operation, facts))) {
        entry.seen += 1;
        const isLatency = entry.fault.kind === "latency";
        const due = entry.seen > entry.fault.after && entry.left !== 0 && (isLatency || !injection.fault);
        if (!due || (entry.fault.probability < 1 && entry.random() >= entry.fault.probability)) continue;
        if (entry.left > 0) entry.left -= 1;
        if (isLatency) injection.latencyMs += entry.fault.ms ?? defaultLatencyMs;
        else injection.fault = entry.fault;
      }
      return injection;
    },
    left: () => planned.reduce((sum, { left }) => sum + Math.abs(left), 0),
  };
}

type PlannedFault = { fault: Fault; left: number; seen: number; random: () => number };

const defaultLatencyMs = 1000;

function planFault(fault: Fault): PlannedFault {
  const generator = mersenne(fault.seed);
  return { fault, left: fault.times, seen: 0, random: () => uniformFloat64(generator) };
}

function matches(fault: Fault, operation: Operation, facts: RequestFacts): boolean {
  if (fault.on !== operation) return false;
  if (fault.model !== undefined && fault.model !== facts.model) return false;
  if (fault.kind === "too-many-states") return facts.hasSchema === true;
  if (fault.kind === "cut-final-reply" && operation === "chunk") return facts.finalizes === true;
  return true;
}

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
