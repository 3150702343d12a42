/** A reply of the service, or of whatever stands before it, that is not what was asked for. */
export type FaultReply = { status: number; headers: Readonly<Record<string, string>>; text: string };

type FaultParts = {
  /** HTTP status; null when no whole reply came. */
  status: number | null;
  /** The service's own word for it, such as RESOURCE_EXHAUSTED; empty when it gave none. */
  reason?: string;
  quotaIds?: readonly string[];
  /** How long the service asks to be left alone, when it says so. */
  retryAfterMs?: number | null;
  cause?: unknown;
};

const longestMessage = 1000;

/** What went wrong at the service, as far as it said. Never reaches a caller: it is retried, or becomes a Problem. */
export class ServiceFault extends Error {
  readonly status: number | null;
  readonly reason: string;
  readonly quotaIds: readonly string[];
  readonly retryAfterMs: number | null;

  constructor(message: string, parts: FaultParts) {
    super(message.slice(0, longestMessage), { cause: parts.cause });
    this.name = "ServiceFault";
    this.status = parts.status;
    this.reason = parts.reason ?? "";
    this.quotaIds = parts.quotaIds ?? [];
    this.retryAfterMs = parts.retryAfterMs ?? null;
  }
}

/** Reads an error reply: JSON `{error}`, the same in an array, or anything else (HTML of a proxy, nothing at all). */
export function faultFromReply(reply: FaultReply, now: number): ServiceFault {
  const error = errorInside(reply.text);
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  return new ServiceFault(typeof error.message === "string" ? error.message : `HTTP status ${reply.status}`, {
    status: reply.status,
    reason: typeof error.status === "string" ? error.status : "",
    quotaIds: details.flatMap(quotaIdsOf),
    retryAfterMs: details.map(retryDelayOf).find((delay) => delay !== null) ?? retryAfter(reply.headers, now),
  });
}

function errorInside(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    const outer: unknown = Array.isArray(body) ? body[0] : body;
    if (isRecord(outer) && isRecord(outer.error)) return outer.error;
  } catch {
    // Not JSON: the status alone has to do.
  }
  return {};
}

function quotaIdsOf(detail: Record<string, unknown>): string[] {
  if (!Array.isArray(detail.violations)) return [];
  return detail.violations.filter(isRecord).flatMap(({ quotaId }) => (typeof quotaId === "string" ? [quotaId] : []));
}

function retryDelayOf(detail: Record<string, unknown>): number | null {
  if (typeof detail.retryDelay !== "string") return null;
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(detail.retryDelay)?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1000);
}

function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | null {
  const value = headers["retry-after"]?.trim();
  if (!value) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
