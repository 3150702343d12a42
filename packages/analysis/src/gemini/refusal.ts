import { Problem } from "@video-to-json/contract";
import { OutOfQuota, unavailableReason } from "../analysis-provider.ts";
import type { GeminiFile } from "./copies.ts";
import { GeminiError } from "./gemini-error.ts";
import { isTransient, type RetryContext, type RetryDeps } from "./retry-request.ts";

/**
 * Why a question was refused. `unusable`: because of the operator's settings, or of Gemini itself. `unclear`: the words
 * fit everything.
 */
export type GeminiRefusal = "schema" | "unclear" | "file-gone" | "file-not-ready" | "media" | "too-large" | "unusable";

const accessInfo = /^(API_KEY|CONSUMER|CREDENTIALS|ACCESS_TOKEN|ACCOUNT_STATE|BILLING|SERVICE_DISABLED|USER_PROJECT)/;
const aboutAccess = /API.?key|unregistered callers|location is not supported|billing|suspended|leaked/i;
const aboutForm = /generation_?config|schema/i;
const aboutSettings = /\bmodels?\/|display_?name/i;
const aboutModel = /\bmodels?\//i;
const aboutMimeType = /(?<!response_?)mime.?type/i;
// The word "video" alone is in many other messages.
const aboutMedia = [
  aboutMimeType,
  /unsupported (input )?(video|audio|file|media|format|container)|codec|corrupt|damaged|unreadable|demux/i,
  /(malformed|invalid) (input )?(video|media|file)\b|\bno (video|frames?)\b/i,
  /\b(read|open|pars|process|extract|load|decod)(e|ing)?\b[^.]{0,40}\b(video|media|file|frames?)\b(?!\.\w)/i,
  /\b(video|media|file|frames?)\b[^.]{0,40}\bbe (read|opened|parsed|processed|extracted|loaded|decoded)\b/i,
];

/** Returns why a question was refused. `constrained` says whether the question had a schema for the answer. */
export function refusalOf(error: GeminiError, constrained: boolean): GeminiRefusal {
  const { status, message, reason } = error;
  if (accessInfo.test(error.errorInfo)) return "unusable";
  // This message quotes the caller's property names, so its other words prove nothing.
  if (status === 400 && aboutForm.test(message)) return constrained ? "schema" : "unusable";
  if (isAboutAccess(error)) return "unusable";
  if (status === 403 || status === 404) return namesFile(message) ? "file-gone" : "unusable";
  if (status === 413) return "too-large";
  if (status !== 400) return "unusable";
  if (reason === "FAILED_PRECONDITION" || /not in an ACTIVE state/i.test(message)) {
    return /ACTIVE/.test(message) ? "file-not-ready" : "unusable";
  }
  if (/token count|too many tokens|payload size/i.test(message)) return "too-large";
  const settings = aboutSettings.test(message);
  if (aboutMimeType.test(message) && !settings) return "media";
  // Gemini often refuses both a complex schema and an unreadable video with only "invalid argument". So the schema is
  // suspected first, as long as the question has one.
  if (constrained) return "schema";
  if (settings) return "unusable";
  if (/^Request contains an invalid argument\.?$/i.test(message)) return "unclear";
  return aboutMedia.some((phrase) => phrase.test(message)) ? "media" : "unusable";
}

/** Returns whether a refusal is about the key, its account or its location, and not about the question. */
export function isAboutAccess({ errorInfo, message }: GeminiError): boolean {
  return accessInfo.test(errorInfo) || aboutAccess.test(message);
}

/** Returns whether a 404 is about the model, not about a file. */
export function isAboutModel({ message }: GeminiError): boolean {
  return aboutModel.test(message);
}

function namesFile(message: string): boolean {
  return /\bfile\b|may not exist/i.test(message) && !aboutModel.test(message);
}

/** Returns the Problem for a provider that cannot be used now. `delayMs`: when a retry may help, in milliseconds. */
export function providerUnavailable(cause: unknown, delayMs: number): Problem {
  const retryAfterSeconds = Math.max(1, Math.ceil(delayMs / 1000));
  if (cause instanceof GeminiError && cause.isQuotaExhausted) return new OutOfQuota(cause, retryAfterSeconds);
  return new Problem("provider_unavailable", { reason: unavailableReason }, { retryAfterSeconds, cause });
}

/** Returns the Problem for a video that Gemini cannot read. */
export function unreadableByProvider(cause: unknown): Problem {
  return new Problem("media_unreadable", { reason: "The video cannot be read for analysis." }, { cause });
}

/** Returns the Problem for a question that exceeds the context window of the model. */
export function requestTooLarge(cause: unknown): Problem {
  return new Problem(
    "extraction_failed",
    { reason: "request_too_large" },
    { details: [": the request is too large to be analysed"], cause },
  );
}

/**
 * Returns whether the error of a request for a copy means that the copy does not exist. Gemini answers the same 403 for
 * a missing file and for a file of another project. A 403 that does not mention the file is about the key, or from a
 * proxy.
 */
export function isGone(error: GeminiError): boolean {
  if (error.status === 404) return true;
  return error.status === 403 && refusalOf(error, false) === "file-gone";
}

/** Codes (google.rpc and HTTP) of errors inside the provider, and of errors in its input. */
const providerCodes = new Set([1, 2, 4, 8, 10, 13, 14, 429, 500, 503, 504]);
const inputCodes = new Set([3, 9, 11, 400, 415, 422]);
const aboutUnreadable =
  /unsupported|codec|corrupt|malformed|unreadable|damaged|decod|demux|not a (valid )?video|no (video|frames)|invalid (video|media|file)|format/i;

/** Returns why the processing of a copy failed; `unknown` when Gemini does not say. */
export function causeOfFailure(error: GeminiFile["error"]): "media" | "provider" | "unknown" {
  if (!error) return "unknown";
  if (aboutUnreadable.test(error.message)) return "media";
  if (error.code !== null && inputCodes.has(error.code)) return "media";
  return error.code !== null && providerCodes.has(error.code) ? "provider" : "unknown";
}

const retryAfterMs = 30_000;
/** How long no job asks after a refusal that waiting does not change. */
export const hopelessPauseMs = 60_000;
const aboutSize =
  /\btoo (large|big)\b|\bsize\b[^.]*\b(exceed|limit|max|larger|greater|at most)|\b(exceed|larger|greater)[^.]*\b(size|bytes)\b/i;
const aboutSpace = /quota|storage|project/i;

/** Returns the Problem for an upload that Gemini refused, and logs the refusal for the operator. */
export function refusedUpload(
  { log, onRateLimited }: Pick<RetryDeps, "log" | "onRateLimited">,
  { jobId }: Pick<RetryContext, "jobId">,
  error: GeminiError,
): Problem {
  const { status, reason, message } = error;
  log.warn({ jobId, status, reason, providerError: message }, "provider refused the upload");
  if (isTransient(error)) return providerUnavailable(error, retryAfterMs);
  // The uploads of the waiting jobs would be for nothing.
  if (status === 401 || status === 402) onRateLimited(hopelessPauseMs);
  if (status === 413 || (status === 400 && aboutSize.test(message) && !aboutSpace.test(message)))
    return new Problem("file_too_large", { what: "video" }, { cause: error });
  return refusalOf(error, false) === "media" ? unreadableByProvider(error) : providerUnavailable(error, retryAfterMs);
}
