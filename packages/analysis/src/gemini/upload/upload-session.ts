import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { VideoFile } from "../../analysis-provider.ts";
import { type GeminiFile, readUploadedFile } from "../copies/gemini-file.ts";
import { displayNameOf } from "../copies/list-copies.ts";
import { isAboutAccess } from "../questions/refusal.ts";
import type { Connection, Reply } from "../wire/connection.ts";
import { GeminiError } from "../wire/gemini-error.ts";
import { isTransient } from "../wire/retry-request.ts";
import { chunkSize } from "./chunk-size.ts";
import { uploadUrl } from "./upload-url.ts";
import { VideoBytesError, videoBytes } from "./video-bytes.ts";

/** The progress of an upload. */
export type UploadPosition =
  /** Continue at this byte. */
  | { kind: "at"; offset: number }
  /** Complete. `file` is null when the reply did not describe it. */
  | { kind: "stored"; file: GeminiFile | null }
  /**
   * Start again with a new session. `isClosed` means that Gemini has closed this one, so there is nothing to cancel.
   */
  | { kind: "dead"; isClosed: boolean; error: GeminiError };

/** One resumable upload. All functions throw GeminiError; afterwards only `query` can find out how much has arrived. */
export type UploadSession = {
  /** A secret while the session is open: anyone who knows it can send bytes. */
  url: string;
  /** Sends the next chunk, from `offset`. The last chunk ends the upload; so does a call without remaining bytes. */
  sendChunk(offset: number, signal: AbortSignal): Promise<UploadPosition>;
  query(signal: AbortSignal): Promise<UploadPosition>;
  /** Throws if the session may still be open. */
  cancel(signal: AbortSignal): Promise<void>;
  /** Returns whether the chunk from `offset` is the last one. */
  isLastChunk(offset: number): boolean;
};

export type UploadSource = { handle: FileHandle; size: number };

// Only silence is limited: every piece that is sent restarts the limit, so that a slow line can finish.
const maxSilenceMs = 30_000;

/** Opens an upload session. Throws GeminiError. */
export async function startUpload(
  connection: Connection,
  video: Pick<VideoFile, "mimeType" | "jobId">,
  source: UploadSource,
  signal: AbortSignal,
): Promise<UploadSession> {
  const { size } = source;
  const started = await connection.send({
    kind: "upload",
    method: "POST",
    url: `${connection.baseUrl}/upload/v1beta/files`,
    headers: {
      "x-goog-upload-protocol": "resumable",
      "x-goog-upload-command": "start",
      "x-goog-upload-header-content-length": String(size),
      "x-goog-upload-header-content-type": video.mimeType,
      "content-type": "application/json",
    },
    body: JSON.stringify({ file: { display_name: displayNameOf(video.jobId) } }),
    maxSilenceMs,
    signal,
  });
  if (!isOk(started)) throw connection.errorOf(started);
  const url = uploadUrl(started.headers["x-goog-upload-url"], connection.baseUrl);
  if (url === null) throw new GeminiError("The reply that starts an upload has no URL.", { status: started.status });
  const chunk = chunkSize(started.headers["x-goog-upload-chunk-granularity"]);
  const isLastChunk = (offset: number) => size - offset <= chunk;

  const command = (name: string, headers: Record<string, string>, signal: AbortSignal, body?: Readable) =>
    connection.send({
      kind: "upload",
      method: "POST",
      url,
      headers: { "x-goog-upload-command": name, ...headers },
      ...(body ? { body } : {}),
      maxSilenceMs,
      signal,
    });

  return {
    url,
    isLastChunk,
    async sendChunk(offset, signal) {
      const end = Math.min(size, offset + chunk);
      const name = offset === size && size > 0 ? "finalize" : isLastChunk(offset) ? "upload, finalize" : "upload";
      const headers = { "x-goog-upload-offset": String(offset), "content-length": String(end - offset) };
      const bytes = end > offset ? Readable.from(videoBytes(source.handle, offset, end)) : undefined;
      const reply = await command(name, headers, signal, bytes).catch((error: unknown) => {
        // The connection reports a body that cannot be read as a broken connection.
        throw bytes?.errored instanceof VideoBytesError ? bytes.errored : error;
      });
      return positionAfterChunk(connection, reply, isLastChunk(offset) ? null : end);
    },
    async query(signal) {
      return positionAfterQuery(connection, await command("query", { "content-length": "0" }, signal), size);
    },
    cancel: (signal) => cancelSession(connection, url, signal),
  };
}

/**
 * Cancels the upload session with this URL. Returns when it is closed. Throws GeminiError when it may still be open: no
 * reply came, or the reply says nothing about the session.
 */
export async function cancelSession(connection: Connection, url: string, signal: AbortSignal): Promise<void> {
  const headers = { "x-goog-upload-command": "cancel", "content-length": "0" };
  const reply = await connection.send({ kind: "upload", method: "POST", url, headers, maxSilenceMs, signal });
  if (isOk(reply) || finalPosition(connection, reply)) return;
  const error = connection.errorOf(reply);
  if (!closedStatuses.has(error.status) || isAboutAccess(error)) throw error;
}

/** A closed upload answers 400. Google Cloud Storage answers a cancellation with 499. */
const closedStatuses: ReadonlySet<number | null> = new Set([400, 404, 410, 499]);

/** `end` is the offset after the chunk; null for the last chunk. */
function positionAfterChunk(connection: Connection, reply: Reply, end: number | null): UploadPosition {
  const final = finalPosition(connection, reply);
  if (final) return final;
  if (!isOk(reply)) throw connection.errorOf(reply);
  if (end !== null && statusOf(reply) === "active") return { kind: "at", offset: end };
  throw new GeminiError("The reply to a chunk does not say whether it arrived.", { status: reply.status });
}

function positionAfterQuery(connection: Connection, reply: Reply, size: number): UploadPosition {
  const final = finalPosition(connection, reply);
  if (final) return final;
  if (!isOk(reply)) {
    const error = connection.errorOf(reply);
    if (isTransient(error)) throw error;
    return { kind: "dead", isClosed: error.status === 404 || error.status === 410, error };
  }
  const received = reply.headers["x-goog-upload-size-received"] ?? "";
  if (statusOf(reply) === "active" && /^\d{1,15}$/.test(received) && Number(received) <= size) {
    return { kind: "at", offset: Number(received) };
  }
  const error = new GeminiError("The reported size of the upload is not possible.", { status: reply.status });
  return { kind: "dead", isClosed: false, error };
}

/** Returns the position if a reply, to any command, says that the upload is complete or cancelled. */
function finalPosition(connection: Connection, reply: Reply): UploadPosition | null {
  const status = statusOf(reply);
  const isClosed = status === "final" || status === "cancelled";
  if (isOk(reply)) {
    const file = readUploadedFile(reply.text);
    if (status === "final" || (file && status !== "cancelled")) return { kind: "stored", file };
    if (!isClosed) return null;
    return { kind: "dead", isClosed, error: new GeminiError("The upload was cancelled.", { status: reply.status }) };
  }
  return isClosed ? { kind: "dead", isClosed, error: connection.errorOf(reply) } : null;
}

function statusOf(reply: Reply): string {
  return (reply.headers["x-goog-upload-status"] ?? "").trim().toLowerCase();
}

function isOk(reply: Reply): boolean {
  return reply.status >= 200 && reply.status <= 299;
}
