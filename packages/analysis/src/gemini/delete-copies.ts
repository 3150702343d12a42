import { isUuid, Problem } from "@video-to-json/contract";
import type { FindFinishedJobs } from "../analysis-provider.ts";
import { GeminiError } from "./gemini-error.ts";
import { type GeminiFile, jobIdOf, type ListDeps, listCopies } from "./list-copies.ts";
import { providerUnavailable } from "./refusal.ts";
import { type RetryContext, retryRequest } from "./retry-request.ts";
import type { Sdk } from "./sdk.ts";

type DeleteDeps = ListDeps & { readonly sdk: Pick<Sdk, "deleteFile"> };

const retryAfterMs = 60_000;
// Enough for a few attempts. A deletion that always fails must not use up the time of the others.
const maxDeletionMs = 5_000;

/**
 * Deletes the copies of finished jobs (see `AnalysisProvider.deleteCopies`). A copy that cannot be deleted is
 * logged and stays for the next call. After a 429, or at the deadline, the remaining copies stay as well.
 */
export async function deleteCopies(
  deps: DeleteDeps,
  findFinished: FindFinishedJobs,
  context: RetryContext,
): Promise<number> {
  const copies = await listCopies(deps, context).catch((error: unknown) => {
    throw error instanceof GeminiError ? providerUnavailable(error, retryAfterMs) : error;
  });
  const traced = copies.flatMap((copy) => {
    const jobId = jobIdOf(copy);
    return jobId !== null && isUuid(jobId) ? [{ copy, jobId }] : [];
  });
  if (traced.length === 0) return 0;
  const finished = await findFinished([...new Set(traced.map(({ jobId }) => jobId))]);
  let deleted = 0;
  for (const { copy, jobId } of traced) {
    if (!finished.has(jobId)) continue;
    if (deps.clock.now() >= context.deadline.getTime()) break;
    const outcome = await deleteCopy(deps, copy, context);
    if (outcome === "deleted") deleted++;
    if (outcome === "rate-limited") break;
  }
  return deleted;
}

async function deleteCopy(
  deps: DeleteDeps,
  copy: GeminiFile,
  context: RetryContext,
): Promise<"deleted" | "failed" | "rate-limited"> {
  const deadline = new Date(Math.min(context.deadline.getTime(), deps.clock.now() + maxDeletionMs));
  try {
    await retryRequest(deps, { ...context, deadline }, "delete copy", () =>
      deps.sdk.deleteFile(copy.name, context.signal),
    );
    return "deleted";
  } catch (error) {
    context.signal.throwIfAborted();
    const cause = error instanceof Problem ? error.cause : error;
    if (!(cause instanceof GeminiError)) throw error;
    const { status, message } = cause;
    deps.log.warn({ file: copy.name, status, providerError: message }, "provider copy not deleted; will try again");
    return status === 429 ? "rate-limited" : "failed";
  }
}
