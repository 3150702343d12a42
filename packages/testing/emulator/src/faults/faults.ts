import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { mersenne } from "pure-rand/generator/mersenne";
import { hostileShapes } from "../answer/hostile.ts";
import { type Entry, number, oneOf, readEntries, text } from "../control/read-members.ts";
import { ConnectionLost, EarlyReply, type Reply, refusal } from "../protocol/exchange.ts";
import type { State } from "../state.ts";

/** The kinds of requests that faults can be injected into. `cancel` is the upload command of that name. */
export const operations = ["start", "chunk", "query", "cancel", "get", "list", "delete", "generate"] as const;

export type Operation = (typeof operations)[number];

const kinds = [
  ...(["status", "drop", "hang", "latency", "malformed-json", "malformed-body", "violate-schema", "obey"] as const),
  ...(["max-tokens", "blocked", "safety", "no-parts", "zero-video-tokens", "empty", "thoughts"] as const),
  ...(["cut-prompt", "times-off", "fences", "ignore-schema", "answer-as-thought"] as const),
  ...(["processing", "failed", "vanish", "too-many-states", "cut-final-reply", "hostile"] as const),
];

/** What goes wrong. The README describes each kind. */
export type FaultKind = (typeof kinds)[number];

const members = {
  on: oneOf(operations),
  kind: oneOf(kinds),
  times: number(1, -1),
  after: number(0, 0),
  status: number(503, 400, 599),
  retryDelay: text(/^\d+(\.\d+)?s$/),
  perDay: (value: unknown) => value === true,
  freeTier: (value: unknown) => value === true,
  probability: number(1, 0, 1),
  seed: number(1, 0),
  ms: number(undefined, 0),
  afterBytes: number(undefined, 0),
  model: text(/^\S+$/),
  /** Why a withheld candidate ends: RECITATION, SPII, LANGUAGE, OTHER. */
  finishReason: text(/^[A-Z_]+$/),
  /** What a refusal with a status says, such as the words of a spending cap. */
  message: text(/./),
  /** What a `hostile` model writes too much of. */
  shape: (value: unknown, at: string) => oneOf(hostileShapes)(value ?? "many", at),
};

/** A fault to inject `times` times (-1: without end), after the first `after` requests that match it. */
export type Fault = Entry<typeof members>;

/** The properties of a request that decide which faults match it. */
export type RequestFacts = { finalizes?: boolean; hasSchema?: boolean; model?: string };

/** Reads `{"faults": [...]}` or the list itself. Throws a `RangeError` that names the wrong member. */
export function readFaults(value: unknown): Fault[] {
  return readEntries(value, "faults", members);
}

function statusError(fault: Fault, model: string): EarlyReply {
  if (fault.status === 429 && fault.message === undefined) return quotaError(fault, model);
  const [status, message] = known[fault.status] ?? ["UNKNOWN", "The service failed."];
  return refusal(fault.status, status, fault.message ?? message, { details: retryInfo(fault) });
}

const known: Readonly<Record<number, readonly [string, string]>> = {
  400: ["INVALID_ARGUMENT", "Request contains an invalid argument."],
  401: ["UNAUTHENTICATED", "Request had invalid authentication credentials."],
  402: ["FAILED_PRECONDITION", "Your prepayment credits are depleted."],
  403: ["PERMISSION_DENIED", "The caller does not have permission"],
  404: ["NOT_FOUND", "Requested entity was not found."],
  408: ["UNAVAILABLE", "Request timed out."],
  409: ["ABORTED", "The operation was aborted."],
  412: ["FAILED_PRECONDITION", "Precondition check failed."],
  429: ["RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."],
  499: ["CANCELLED", "The operation was cancelled."],
  500: [
    "INTERNAL",
    "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  ],
  502: ["UNAVAILABLE", "Bad gateway."],
  503: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
  504: ["DEADLINE_EXCEEDED", "Deadline expired before operation could complete."],
};

function quotaError(fault: Fault, model: string): EarlyReply {
  const period = fault.perDay ? "PerDay" : "PerMinute";
  const seconds = fault.retryDelay && Number.parseFloat(fault.retryDelay);
  const message = `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.${seconds ? ` Please retry in ${seconds}s.` : ""}`;
  const violation = {
    quotaMetric: `generativelanguage.googleapis.com/generate_content_${fault.freeTier ? "free_tier" : "paid_tier"}_requests`,
    quotaId: `GenerateRequests${period}PerProjectPerModel${fault.freeTier ? "-FreeTier" : ""}`,
    quotaDimensions: { location: "global", model },
    quotaValue: "20",
  };
  const links = [
    { description: "Learn more about Gemini API quotas", url: "https://ai.google.dev/gemini-api/docs/rate-limits" },
  ];
  return refusal(429, "RESOURCE_EXHAUSTED", message, {
    details: [
      { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [violation] },
      { "@type": "type.googleapis.com/google.rpc.Help", links },
      ...retryInfo(fault),
    ],
  });
}

function retryInfo({ retryDelay }: Fault): object[] {
  return retryDelay ? [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }] : [];
}

/** The fault to inject into a request, if any, and the latency before it. */
type Injection = { fault: Fault | undefined; latencyMs: number };

/** Creates an empty plan. The same faults and requests lead to the same injections: each fault has its own seed. */
export function createFaultPlan() {
  let planned: PlannedFault[] = [];
  return {
    replace: (faults: readonly Fault[]) => {
      planned = faults.map(planFault);
    },
    /** Counts the request for every fault that matches. Returns the first that is due, and the sum of the latencies. */
    take(operation: Operation, facts: RequestFacts = {}): Injection {
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
    /** Returns the number of injections that remain. A fault without end counts as one. */
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

/**
 * Injects the planned faults into a request: waits for the latency, then ends the request or lets it continue.
 *
 * Returns the fault that the handler of the request applies itself, if any.
 * Throws a refusal for a status, `ConnectionLost` for a dropped or hanging connection, `EarlyReply` for a broken body.
 */
export async function injectFault(
  { faults, closing }: Pick<State, "faults" | "closing">,
  request: IncomingMessage,
  operation: Operation,
  facts: RequestFacts,
): Promise<Fault | undefined> {
  const { fault, latencyMs } = faults.take(operation, facts);
  if (latencyMs > 0) await waitWhileOpen(request, latencyMs, closing);
  switch (fault?.kind) {
    case "status":
      throw statusError(fault, facts.model ?? "gemini");
    case "hang":
      await waitWhileOpen(request, fault.ms ?? maxDelayMs, closing);
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
