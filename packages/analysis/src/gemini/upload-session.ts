import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { VideoFile } from "../analysis-provider.ts";
import type { Connection, Reply } from "./connection.ts";
import { displayNameOf, type GeminiFile, readUploadedFile } from "./copies.ts";
import { GeminiError } from "./gemini-error.ts";
import { isAboutAccess } from "./refusal.ts";
import { isTransient } from "./retry-request.ts";

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

/**
 * Returns the URL of an upload session: the path and query that Gemini returned, on the origin and below the path
 * of `baseUrl`. So no reply can send the video or the key to another host. A `key` in the query is removed, because
 * the key travels in a header. Returns null when `given` is not a URL.
 */
export function uploadUrl(given: string | undefined, baseUrl: string): string | null {
  if (!given || !URL.canParse(given, baseUrl)) return null;
  const base = new URL(baseUrl);
  const url = new URL(given, baseUrl);
  const search = withoutKey(url.search);
  if (url.origin === base.origin) return `${url.origin}${url.pathname}${search}`;
  const basePath = base.pathname.replace(/\/+$/, "");
  const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname : basePath + url.pathname;
  return `${base.origin}${path}${search}`;
}

/** The other parameters stay byte for byte as Gemini wrote them. */
function withoutKey(search: string): string {
  const parameters = search
    .slice(1)
    .split("&")
    .filter((parameter) => parameter !== "" && !/^key(=|$)/i.test(parameter));
  return parameters.length === 0 ? "" : `?${parameters.join("&")}`;
}

const usualChunkBytes = 8 * 1024 * 1024;

/**
 * Returns the number of bytes per chunk: 8 MiB, rounded down to a multiple of Gemini's granularity. A larger
 * granularity is used as it is.
 */
export function chunkSize(granularity: string | undefined): number {
  const unit = granularity !== undefined && /^\d{1,12}$/.test(granularity) ? Number(granularity) : usualChunkBytes;
  if (unit < 1) return usualChunkBytes;
  return unit > usualChunkBytes ? unit : usualChunkBytes - (usualChunkBytes % unit);
}

const pieceBytes = 256 * 1024;
/** At the same time, the file gives one piece, the stream holds one, and the socket sends one. */
const pieceCount = 3;

/** The video on disk cannot be read or has become shorter. Retrying the upload cannot help. */
class VideoBytesError extends Error {}

/**
 * Yields the bytes from `start` to before `end`, in pieces. Throws VideoBytesError when the file does not hold them.
 *
 * A piece is valid until the next two have been yielded. Then its memory is reused, because the garbage collector lets
 * hundreds of pieces pile up. undici reads the next piece only after the socket has sent the last one, and a piece is
 * larger than what a socket buffers.
 */
async function* videoBytes(handle: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  const pieces = Array.from({ length: pieceCount }, () => Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - start)));
  for (let at = start, turn = 0; at < end; turn++) {
    const piece = pieces[turn % pieceCount] as Buffer;
    const length = Math.min(piece.length, end - at);
    const { bytesRead } = await handle.read(piece, 0, length, at).catch((cause: unknown) => {
      throw new VideoBytesError("The video cannot be read from disk.", { cause });
    });
    if (bytesRead === 0) throw new VideoBytesError("The video on disk became shorter during the upload.");
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
