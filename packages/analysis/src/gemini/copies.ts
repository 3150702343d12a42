import { isJsonObject, isUuid, Problem } from "@video-to-json/contract";
import type { FindFinishedJobs } from "../analysis-provider.ts";
import { GeminiError } from "./gemini-error.ts";
import { providerUnavailable } from "./refusal.ts";
import { type RetryContext, type RetryDeps, retryRequest } from "./retry-request.ts";
import type { Sdk } from "./sdk.ts";

const prefix = "video-to-json/";
const maxPages = 1000;

export type ListDeps = RetryDeps & { readonly sdk: Pick<Sdk, "listFiles"> };

/** Returns the display name under which a job's video is uploaded. It traces every copy to its job. */
export function displayNameOf(jobId: string): string {
  return prefix + jobId;
}

/** Returns the id of the job that a copy belongs to; null for a file that this service did not upload. */
function jobIdOf(file: GeminiFile): string | null {
  return file.displayName.startsWith(prefix) ? file.displayName.slice(prefix.length) : null;
}

/**
 * Lists all provider copies that this service uploaded.
 *
 * @param maxSilenceMs time limit of each page, if less than the usual one.
 * @throws GeminiError or Problem `provider_unavailable`; the reason of `context.signal`.
 */
export async function listCopies(deps: ListDeps, context: RetryContext, maxSilenceMs?: number): Promise<GeminiFile[]> {
  const copies: GeminiFile[] = [];
  let bytes = 0;
  let pageToken: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const token: string | null = pageToken;
    const listed: unknown = await retryRequest(deps, context, "list copies", () =>
      deps.sdk.listFiles(token, context.signal, maxSilenceMs),
    );
    const { files, nextPageToken } = listed as { files?: unknown; nextPageToken?: unknown };
    for (const value of Array.isArray(files) ? files : []) {
      const file = readGeminiFile(value);
      bytes += file?.sizeBytes ?? 0;
      if (file && jobIdOf(file) !== null) copies.push(file);
    }
    if (typeof nextPageToken !== "string" || nextPageToken === "" || nextPageToken === pageToken) break;
    pageToken = nextPageToken;
  }
  deps.observer?.onFiles(bytes);
  return copies;
}

/** Gemini's description of an uploaded file. */
export type GeminiFile = {
  name: string;
  uri: string | null;
  displayName: string;
  /** Null when Gemini does not report it. */
  sizeBytes: number | null;
  createTime: string;
  state: string;
  /** Why processing failed, if Gemini says so. */
  error: { code: number | null; message: string } | null;
};

/** Reads a File resource. Returns null when it is malformed, or when its name would change the path of a URL. */
export function readGeminiFile(value: unknown): GeminiFile | null {
  if (!isJsonObject(value) || typeof value.name !== "string" || !/^files\/[A-Za-z0-9_-]{1,128}$/.test(value.name))
    return null;
  const size = value.sizeBytes === undefined ? Number.NaN : Number(value.sizeBytes);
  return {
    name: value.name,
    uri: typeof value.uri === "string" && value.uri !== "" ? value.uri : null,
    displayName: textOrEmpty(value.displayName),
    sizeBytes: Number.isSafeInteger(size) ? size : null,
    createTime: textOrEmpty(value.createTime),
    state: textOrEmpty(value.state),
    error: isJsonObject(value.error)
      ? {
          code: typeof value.error.code === "number" ? value.error.code : null,
          message: textOrEmpty(value.error.message),
        }
      : null,
  };
}

/** Reads the `{file}` with which Gemini answers the last chunk of an upload. */
export function readUploadedFile(text: string): GeminiFile | null {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? readGeminiFile(body.file) : null;
  } catch {
    return null;
  }
}

function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

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
