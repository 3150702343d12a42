import { isJsonObject } from "@video-to-json/contract";

/** An HTTP reply that reports an error, from Gemini or from a proxy in front of it. */
export type ErrorReply = { status: number; headers: Readonly<Record<string, string>>; text: string };

type ErrorParts = {
  /** HTTP status; null when no complete reply came. */
  status: number | null;
  /** The error's status name, such as RESOURCE_EXHAUSTED; empty if the error has no status. */
  reason?: string;
  /** The reason in the error's details, such as API_KEY_INVALID; empty if the details give no reason. */
  errorInfo?: string;
  /** A quota that does not recover while a job runs: a daily quota, a limit of 0, or used-up money. */
  isQuotaExhausted?: boolean;
  /** The project's credits or its spending cap are used up. */
  isUnpaid?: boolean;
  /** The refusal names a quota of the unpaid tier. */
  isFreeTier?: boolean;
  /** How long Gemini asks us to wait, in milliseconds. */
  retryAfterMs?: number | null;
  cause?: unknown;
};

const maxMessageLength = 1000;

/** A request to Gemini that failed. It never reaches a caller: it is retried, or becomes a Problem. */
export class GeminiError extends Error {
  readonly status: number | null;
  readonly reason: string;
  readonly errorInfo: string;
  readonly isQuotaExhausted: boolean;
  readonly isUnpaid: boolean;
  readonly isFreeTier: boolean;
  readonly retryAfterMs: number | null;

  constructor(message: string, parts: ErrorParts) {
    super(message.slice(0, maxMessageLength), { cause: parts.cause });
    this.name = "GeminiError";
    this.status = parts.status;
    this.reason = parts.reason ?? "";
    this.errorInfo = parts.errorInfo ?? "";
    this.isQuotaExhausted = parts.isQuotaExhausted ?? false;
    this.isUnpaid = parts.isUnpaid ?? false;
    this.isFreeTier = parts.isFreeTier ?? false;
    this.retryAfterMs = parts.retryAfterMs ?? null;
  }
}

/**
 * Reads an error reply: JSON `{error}`, the same in an array, or anything else (HTML of a proxy, nothing).
 *
 * @param now the current time in milliseconds, to read a date in `Retry-After`.
 */
export function readErrorReply(reply: ErrorReply, now: number): GeminiError {
  const error = errorIn(reply.text);
  const details = Array.isArray(error.details) ? error.details.filter(isJsonObject) : [];
  // The error keeps only the start of the message, so this function searches the whole message.
  const message = typeof error.message === "string" ? error.message : `HTTP status ${reply.status}`;
  const quotaIds = details.flatMap(quotaIdsOf);
  const isUnpaid = reply.status === 402 || (reply.status === 429 && aboutMoney.test(message));
  const delayMs = details.map(retryDelayOf).find((delay) => delay !== null);
  return new GeminiError(message, {
    status: reply.status,
    reason: typeof error.status === "string" ? error.status : "",
    errorInfo: details.map(({ reason }) => reason).find((reason) => typeof reason === "string") ?? "",
    isQuotaExhausted: isUnpaid || (reply.status === 429 && namesExhaustedQuota(message, quotaIds)),
    isUnpaid,
    isFreeTier: quotaIds.some((id) => id.endsWith("-FreeTier")),
    retryAfterMs: delayMs ?? retryAfter(reply.headers, now) ?? retryDelayIn(message),
  });
}

function errorIn(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    const outer: unknown = Array.isArray(body) ? body[0] : body;
    if (isJsonObject(outer) && isJsonObject(outer.error)) return outer.error;
  } catch {
    // Not JSON: only the status says what happened.
  }
  return {};
}

const aboutMoney = /spend(ing)? cap|credits are depleted|prepa(id|yment) (balance|credits)/i;

function namesExhaustedQuota(message: string, quotaIds: readonly string[]): boolean {
  return quotaIds.some((id) => /PerDay/i.test(id)) || /\blimit: 0(?![.\d])/.test(message);
}

function quotaIdsOf(detail: Record<string, unknown>): string[] {
  if (!Array.isArray(detail.violations)) return [];
  return detail.violations
    .filter(isJsonObject)
    .flatMap(({ quotaId }) => (typeof quotaId === "string" ? [quotaId] : []));
}

function retryDelayOf(detail: Record<string, unknown>): number | null {
  if (typeof detail.retryDelay !== "string") return null;
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(detail.retryDelay)?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1000);
}

const unitMs: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Some replies name the delay only in the message: "Please retry in 26.04s.", "… in 1h2m3s". */
function retryDelayIn(message: string): number | null {
  const delay = /\bretry in ((?:\d{1,9}(?:\.\d{1,9})?\s?(?:ms|[hms])(?![a-z])\s?)+)/i.exec(message)?.[1];
  if (delay === undefined) return null;
  let delayMs = 0;
  for (const [, amount, unit = ""] of delay.matchAll(/([\d.]+)\s?(ms|[hms])/gi)) {
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
