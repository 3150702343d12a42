import { open } from "node:fs/promises";
import { Problem } from "@video-to-json/contract";
import type { VideoFile } from "../analysis-provider.ts";
import type { Connection } from "./connection.ts";
import { displayNameOf, type GeminiFile, type ListDeps, listCopies } from "./copies.ts";
import { GeminiError } from "./gemini-error.ts";
import { refusedUpload } from "./refusal.ts";
import { type RetryContext, retryRequest } from "./retry-request.ts";
import { recordUpload } from "./upload-records.ts";
import { startUpload, type UploadPosition, type UploadSession, type UploadSource } from "./upload-session.ts";

export type UploadDeps = ListDeps & { readonly connection: Connection };

/** The copies that a job may have made: the known names, and the number of copies without a known name. */
export type UploadedCopies = { names: Set<string>; unnamed: number };

const maxSessions = 3;
const maxCancelMs = 2_000;
// If the copy cannot be found in the list, the video is uploaded again.
const maxListAttempts = 3;

/**
 * Uploads the video. Continues after a broken connection, and starts again when Gemini has lost the session. Every copy
 * that it made, or may have made, is added to `uploaded`. On an error it cancels the open session; the record of a
 * session that cannot be cancelled stays.
 *
 * @throws Problem `provider_unavailable`, `media_unreadable` or `file_too_large`; the reason of `context.signal`.
 */
export async function uploadVideo(
  deps: UploadDeps,
  video: VideoFile,
  context: RetryContext,
  uploaded: UploadedCopies,
): Promise<GeminiFile> {
  await using handle = await open(video.path, "r");
  const source: UploadSource = { handle, size: (await handle.stat()).size };
  const uploadOnce = async () => {
    const start = () => startUpload(deps.connection, video, source, context.signal);
    const session = await retryRequest(deps, context, "start upload", start).catch((error: unknown) => {
      throw error instanceof GeminiError ? refusedUpload(deps, context, error) : error;
    });
    const deleteRecord = await recordUpload(video.uploadRecords, session.url).catch(async (error: unknown) => {
      await session.cancel(AbortSignal.timeout(maxCancelMs)).catch(() => undefined);
      throw error;
    });
    return runSession(deps, { ...session, deleteRecord }, video, source, context, uploaded);
  };
  return await retryRequest(deps, { ...context, maxAttempts: maxSessions }, "upload session", uploadOnce, {
    isRetryable: () => true,
    giveUp: (error) => refusedUpload(deps, context, error),
  });
}

/** Sends all bytes in one session. Throws GeminiError when the session ended without a usable copy. */
async function runSession(
  deps: UploadDeps,
  session: UploadSession & { deleteRecord(): Promise<void> },
  video: VideoFile,
  source: UploadSource,
  context: RetryContext,
  uploaded: UploadedCopies,
): Promise<GeminiFile> {
  const { jobId, signal } = context;
  let position: UploadPosition = { kind: "at", offset: 0 };
  let sentLastChunk = false;
  try {
    while (position.kind === "at") position = await sendBeyond(position.offset);
  } catch (error) {
    // The last chunk may have arrived. Then a copy exists, and the list at the end of the job finds it.
    if (sentLastChunk) uploaded.unnamed++;
    await cancel();
    throw error;
  }
  // Gemini would keep the bytes of a session that is still open.
  if (position.kind === "dead" && !position.isClosed) await cancel();
  else await session.deleteRecord();
  if (position.kind === "stored" && position.file) {
    uploaded.names.add(position.file.name);
    if (isComplete(position.file, source)) return position.file;
    throw sessionError("The stored copy and the video have different sizes.");
  }
  if (!sentLastChunk) {
    throw position.kind === "dead" ? position.error : sessionError("The upload ended before the last chunk.");
  }
  uploaded.unnamed++;
  const found = await findCopy(deps, video, source, context, uploaded);
  if (found) return found;
  throw position.kind === "dead" ? position.error : sessionError("The upload ended without a copy.");

  /**
   * Sends chunks until the upload is past `furthest`, or has ended. After a broken connection only Gemini knows how
   * much has arrived, so each further attempt starts with a query. Progress starts a new count of attempts.
   */
  function sendBeyond(furthest: number): Promise<UploadPosition> {
    const send = async (attempt: number): Promise<UploadPosition> => {
      let at: UploadPosition = attempt === 1 ? { kind: "at", offset: furthest } : await session.query(signal);
      while (at.kind === "at" && at.offset <= furthest) {
        sentLastChunk ||= session.isLastChunk(at.offset);
        at = await session.sendChunk(at.offset, signal);
      }
      return at;
    };
    return retryRequest(deps, context, "upload chunk", send, { isRetryable: () => true });
  }

  async function cancel(): Promise<void> {
    try {
      await session.cancel(AbortSignal.timeout(maxCancelMs));
    } catch (error) {
      deps.log.warn({ jobId, err: error }, "open upload not cancelled; left for the sweep");
      return;
    }
    await session.deleteRecord();
  }
}

/** Looks for the copy when the reply that describes it was lost. */
async function findCopy(
  deps: UploadDeps,
  video: VideoFile,
  source: UploadSource,
  context: RetryContext,
  uploaded: UploadedCopies,
): Promise<GeminiFile | null> {
  const displayName = displayNameOf(video.jobId);
  const listed = await listCopies(deps, { ...context, maxAttempts: maxListAttempts }).catch((error: unknown) => {
    context.signal.throwIfAborted();
    if (!(error instanceof GeminiError || error instanceof Problem)) throw error;
    if (deps.clock.now() >= context.deadline.getTime()) throw error;
    return [];
  });
  const copies = listed.filter((copy) => copy.displayName === displayName && !uploaded.names.has(copy.name));
  const [newest] = copies
    .filter((copy) => isComplete(copy, source))
    .sort((a, b) => b.createTime.localeCompare(a.createTime));
  if (!newest) return null;
  uploaded.names.add(newest.name);
  // With several copies, it is unknown which one this session made.
  if (copies.length === 1) uploaded.unnamed--;
  return newest;
}

function isComplete(file: GeminiFile, source: UploadSource): boolean {
  return file.sizeBytes === null || file.sizeBytes === source.size;
}

function sessionError(message: string): GeminiError {
  return new GeminiError(message, { status: null });
}
