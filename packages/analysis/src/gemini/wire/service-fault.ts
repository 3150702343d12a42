/** A reply of the service, or of whatever stands before it, that is not what was asked for. */
export type FaultReply = { status: number; headers: Readonly<Record<string, string>>; text: string };

type FaultParts = {
  /** HTTP status; null when no whole reply came. */
  status: number | null;
  /** The service's own word for it, such as RESOURCE_EXHAUSTED; empty when it gave none. */
  reason?: string;
  /** Its finer word, such as API_KEY_INVALID; empty when it gave none. */
  errorInfo?: string;
  /** A quota that does not come back within a job: a day's, or one of nothing. */
  spent?: boolean;
  /** How long the service asks to be left alone, when it says so. */
  retryAfterMs?: number | null;
  cause?: unknown;
};

const longestMessage = 1000;

/** What went wrong at the service, as far as it said. Never reaches a caller: it is retried, or becomes a Problem. */
export class ServiceFault extends Error {
  readonly status: number | null;
  readonly reason: string;
  readonly errorInfo: string;
  readonly spent: boolean;
  readonly retryAfterMs: number | null;

  constructor(message: string, parts: FaultParts) {
    super(message.slice(0, longestMessage), { cause: parts.cause });
    this.name = "ServiceFault";
    this.status = parts.status;
    this.reason = parts.reason ?? "";
    this.errorInfo = parts.errorInfo ?? "";
    this.spent = parts.spent ?? false;
    this.retryAfterMs = parts.retryAfterMs ?? null;
  }
}

/** Reads an error reply: JSON `{error}`, the same in an array, or anything else (HTML of a proxy, nothing at all). */
export function faultFromReply(reply: FaultReply, now: number): ServiceFault {
  const error = errorInside(reply.text);
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  // The fault keeps the beginning of the message only, and what is looked for may stand far behind.
  const message = typeof error.message === "string" ? error.message : `HTTP status ${reply.status}`;
  const asked = details.map(retryDelayOf).find((delay) => delay !== null);
  return new ServiceFault(message, {
    status: reply.status,
    reason: typeof error.status === "string" ? error.status : "",
    errorInfo: details.map(({ reason }) => reason).find((reason) => typeof reason === "string") ?? "",
    spent: reply.status === 429 && isSpent(message, details.flatMap(quotaIdsOf)),
    retryAfterMs: asked ?? retryAfter(reply.headers, now) ?? retryDelayIn(message),
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

function isSpent(message: string, quotaIds: readonly string[]): boolean {
  return quotaIds.some((id) => /PerDay/i.test(id)) || /\blimit: 0(?![.\d])/.test(message);
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

const unitMs: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** "Please retry in 26.04s.", "… in 1h2m3s": some replies name the delay in words only. */
function retryDelayIn(message: string): number | null {
  const named = /\bretry in ((?:\d{1,9}(?:\.\d{1,9})?\s?(?:ms|[hms])(?![a-z])\s?)+)/i.exec(message)?.[1];
  if (named === undefined) return null;
  let delayMs = 0;
  for (const [, amount, unit = ""] of named.matchAll(/([\d.]+)\s?(ms|[hms])/gi)) {
    delayMs += Number(amount) * (unitMs[unit.toLowerCase()] ?? 0);
  }
  return Math.ceil(delayMs);
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
