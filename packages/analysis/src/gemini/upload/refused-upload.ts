import { Problem } from "@video-to-json/contract";
import { providerUnavailable, refusalOf, unreadableByProvider } from "../questions/refusal.ts";
import type { GeminiError } from "../wire/gemini-error.ts";
import { isTransient, type RetryContext, type RetryDeps } from "../wire/retry-request.ts";

const retryAfterMs = 30_000;
const aboutSize =
  /\btoo (large|big)\b|\bsize\b[^.]*\b(exceed|limit|max|larger|greater|at most)|\b(exceed|larger|greater)[^.]*\b(size|bytes)\b/i;
const aboutSpace = /quota|storage|project/i;

/** Returns the Problem for an upload that Gemini refused, and logs the refusal for the operator. */
export function refusedUpload(
  { log }: Pick<RetryDeps, "log">,
  { jobId }: Pick<RetryContext, "jobId">,
  error: GeminiError,
): Problem {
  const { status, reason, message } = error;
  log.warn({ jobId, status, reason, providerError: message }, "provider refused the upload");
  if (isTransient(error)) return providerUnavailable(error, retryAfterMs);
  if (status === 413 || (status === 400 && aboutSize.test(message) && !aboutSpace.test(message)))
    return new Problem("file_too_large", { what: "video" }, { cause: error });
  const isAboutMedia = refusalOf(error, false) === "media" && !/invalid argument/i.test(message);
  return isAboutMedia ? unreadableByProvider(error) : providerUnavailable(error, retryAfterMs);
}
