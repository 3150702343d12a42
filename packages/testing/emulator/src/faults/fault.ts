import { isJsonObject } from "@video-to-json/contract";
import { type HostileShape, hostileShapes } from "../answer/hostile.ts";
import { ApiError } from "../protocol/reply.ts";

/** The kinds of requests that faults can be injected into. `cancel` is the upload command of that name. */
export const operations = ["start", "chunk", "query", "cancel", "get", "list", "delete", "generate"] as const;

/** A kind of request, by which faults are chosen and requests are counted. */
export type Operation = (typeof operations)[number];

const kinds = [
  ...(["status", "drop", "hang", "latency", "malformed-json", "malformed-body", "violate-schema", "obey"] as const),
  ...(["max-tokens", "blocked", "safety", "no-parts", "zero-video-tokens", "empty", "thoughts"] as const),
  ...(["processing", "failed", "vanish", "too-many-states", "cut-final-reply", "hostile"] as const),
];

/** What goes wrong. The README describes each kind. */
export type FaultKind = (typeof kinds)[number];

/** A fault to inject `times` times (-1: without end), after the first `after` requests that match it. */
export type Fault = {
  on: Operation;
  kind: FaultKind;
  times: number;
  after: number;
  status: number;
  retryDelay: string | undefined;
  perDay: boolean;
  probability: number;
  seed: number;
  ms: number | undefined;
  afterBytes: number | undefined;
  model: string | undefined;
  /** What a `hostile` model writes too much of. */
  shape: HostileShape;
};

/** The properties of a request that decide which faults match it. */
export type RequestFacts = { finalizes?: boolean; hasSchema?: boolean; model?: string };

/** Reads `{"faults": [...]}` or the list itself. Throws a `RangeError` that names the wrong member. */
export function readFaults(value: unknown): Fault[] {
  const list = isJsonObject(value) ? value.faults : value;
  if (!Array.isArray(list)) throw new RangeError('The body must be {"faults": [...]}.');
  return list.map((entry, index) => readFault(entry, `faults[${index}]`));
}

const members = new Set<string>([
  ...["on", "kind", "times", "after", "status", "retryDelay", "perDay"],
  ...["probability", "seed", "ms", "afterBytes", "model", "shape"],
]);

function readFault(entry: unknown, at: string): Fault {
  if (!isJsonObject(entry)) throw new RangeError(`${at} must be an object.`);
  for (const name of Object.keys(entry)) {
    if (!members.has(name)) throw new RangeError(`${at}.${name} is unknown. Use ${[...members].join(", ")}.`);
  }
  return {
    on: oneOf(operations, entry.on, `${at}.on`),
    kind: oneOf(kinds, entry.kind, `${at}.kind`),
    times: number(entry.times, `${at}.times`, -1) ?? 1,
    after: number(entry.after, `${at}.after`, 0) ?? 0,
    status: number(entry.status, `${at}.status`, 400, 599) ?? 503,
    retryDelay: text(entry.retryDelay, `${at}.retryDelay`, /^\d+(\.\d+)?s$/),
    perDay: entry.perDay === true,
    probability: number(entry.probability, `${at}.probability`, 0, 1) ?? 1,
    seed: number(entry.seed, `${at}.seed`, 0) ?? 1,
    ms: number(entry.ms, `${at}.ms`, 0),
    afterBytes: number(entry.afterBytes, `${at}.afterBytes`, 0),
    model: text(entry.model, `${at}.model`, /^\S+$/),
    shape: oneOf(hostileShapes, entry.shape ?? "many", `${at}.shape`),
  };
}

function oneOf<const T extends string>(options: readonly T[], value: unknown, at: string): T {
  const found = options.find((option) => option === value);
  if (found === undefined) throw new RangeError(`${at} must be one of ${options.join(", ")}.`);
  return found;
}

function number(value: unknown, at: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !(value >= min && value <= max)) {
    throw new RangeError(`${at} must be a number from ${min} to ${max}.`);
  }
  return value;
}

function text(value: unknown, at: string, pattern: RegExp): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !pattern.test(value)) throw new RangeError(`${at} must match ${pattern.source}.`);
  return value;
}

/** Returns the error that Gemini sends with the status of a `status` fault. */
export function statusError(fault: Fault, model: string): ApiError {
  if (fault.status === 429) return quotaError(fault, model);
  const [status, message] = known[fault.status] ?? ["UNKNOWN", "The service failed."];
  return new ApiError(fault.status, status, message, { details: retryInfo(fault) });
}

const known: Readonly<Record<number, readonly [string, string]>> = {
  400: ["INVALID_ARGUMENT", "Request contains an invalid argument."],
  401: ["UNAUTHENTICATED", "Request had invalid authentication credentials."],
  403: ["PERMISSION_DENIED", "The caller does not have permission"],
  404: ["NOT_FOUND", "Requested entity was not found."],
  408: ["UNAVAILABLE", "Request timed out."],
  409: ["ABORTED", "The operation was aborted."],
  412: ["FAILED_PRECONDITION", "Precondition check failed."],
  499: ["CANCELLED", "The operation was cancelled."],
  500: [
    "INTERNAL",
    "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  ],
  502: ["UNAVAILABLE", "Bad gateway."],
  503: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
  504: ["DEADLINE_EXCEEDED", "Deadline expired before operation could complete."],
};

function quotaError(fault: Fault, model: string): ApiError {
  const period = fault.perDay ? "PerDay" : "PerMinute";
  const seconds = fault.retryDelay && Number.parseFloat(fault.retryDelay);
  const message = `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.${seconds ? ` Please retry in ${seconds}s.` : ""}`;
  const violation = {
    quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
    quotaId: `GenerateRequests${period}PerProjectPerModel-FreeTier`,
    quotaDimensions: { location: "global", model },
    quotaValue: "20",
  };
  const links = [
    { description: "Learn more about Gemini API quotas", url: "https://ai.google.dev/gemini-api/docs/rate-limits" },
  ];
  return new ApiError(429, "RESOURCE_EXHAUSTED", message, {
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
