import type { FileStore } from "../files/file-store.ts";
import { fileResource, type StoredFile } from "../files/stored-file.ts";
import { type ApiError, invalidArgument } from "../protocol/api-error.ts";
import { type Exchange, header } from "../protocol/exchange.ts";
import { ConnectionLost, type Reply } from "../protocol/reply.ts";
import { receiveBytes, sha256Of } from "./receive-bytes.ts";
import { chunkGranularityBytes, fileTooLarge, keptBlockBytes, maxFileBytes } from "./upload-limits.ts";
import type { UploadSession, UploadSessions } from "./upload-sessions.ts";

/** What the requests of a resumable upload need. */
export type UploadDeps = {
  readonly uploads: UploadSessions;
  readonly files: FileStore;
  onBytes(bytes: number): void;
};

/** Answers the commands `upload`, `upload, finalize` and `finalize` on the URL of an upload. */
export async function handleChunk(
  deps: UploadDeps,
  exchange: Exchange,
  session: UploadSession,
  command: { upload: boolean; finalize: boolean },
): Promise<Reply> {
  session.hasChunk ||= command.upload;
  const fault = await exchange.injectFault("chunk", { finalizes: command.finalize });
  await endCurrentWrite(session, exchange.request);
  if (session.state !== "active") throw terminated(session);
  const file = await whileWriting(session, exchange.request, async () => {
    if (command.upload) {
      await writeChunk(
        deps,
        exchange,
        session,
        command.finalize,
        fault?.kind === "drop" ? fault.afterBytes : undefined,
      );
    } else if (contentLength(exchange) !== 0) {
      throw refused("A bare finalize command carries no bytes.");
    }
    return command.finalize ? finalize(deps, session) : undefined;
  });
  if (!file) return { status: 200, headers: { "x-goog-upload-status": "active" } };
  if (fault?.kind === "cut-final-reply") throw new ConnectionLost();
  if (fault?.kind === "failed") {
    file.stop();
    file.state = "FAILED";
  }
  const headers = { "x-goog-upload-status": "final" };
  return { status: 200, json: { file: fileResource(file, exchange.origin) }, headers };
}

/** Returns the refusal of a request to an upload that has ended. The caller must start a new upload. */
export function terminated(session: UploadSession): ApiError {
  const status = session.state === "final" ? "final" : "cancelled";
  return invalidArgument("Upload has already been terminated.", { headers: { "x-goog-upload-status": status } });
}

/**
 * Ends the request that is still writing to the session. The caller has given it up and retries, and the retry can
 * arrive before the server sees that the old connection is closed.
 */
export async function endCurrentWrite(session: UploadSession, request: Exchange["request"]): Promise<void> {
  if (!session.writing) return;
  if (session.writing.socket !== request.socket) session.writing.socket.destroy();
  await session.writing.ended;
}

async function whileWriting<T>(
  session: UploadSession,
  request: Exchange["request"],
  write: () => Promise<T>,
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>();
  session.writing = { socket: request.socket, ended: promise };
  try {
    return await write();
  } finally {
    session.writing = undefined;
    resolve();
  }
}

async function writeChunk(
  deps: UploadDeps,
  exchange: Exchange,
  session: UploadSession,
  isLast: boolean,
  stopAfter: number | undefined,
): Promise<void> {
  const offset = session.received;
  const sentOffset = header(exchange.request, "x-goog-upload-offset");
  if (sentOffset === undefined || !/^\d+$/.test(sentOffset))
    throw refused("The X-Goog-Upload-Offset header is missing or invalid.");
  if (Number(sentOffset) !== offset) {
    throw refused(`Invalid upload offset: ${sentOffset} was sent, ${offset} was expected.`);
  }
  const announced = contentLength(exchange);
  if (announced !== undefined) checkLength(session, announced, isLast);

  const { bytes, whole } = await receiveBytes(exchange.request, session.path, offset, stopAfter);
  deps.onBytes(bytes);
  if (!whole) {
    await deps.uploads.truncateTo(session, offset + Math.floor(bytes / keptBlockBytes) * keptBlockBytes);
    throw new ConnectionLost();
  }
  try {
    checkLength(session, bytes, isLast);
  } catch (error) {
    await deps.uploads.truncateTo(session, offset);
    throw error;
  }
  session.received = offset + bytes;
}

function checkLength(session: UploadSession, bytes: number, isLast: boolean): void {
  const total = session.received + bytes;
  const { declaredBytes } = session;
  if (declaredBytes !== undefined && total > declaredBytes) {
    throw refused(`Upload is larger than the ${declaredBytes} bytes announced in X-Goog-Upload-Header-Content-Length.`);
  }
  if (total > maxFileBytes) throw refused(fileTooLarge);
  if (!isLast && (bytes === 0 || bytes % chunkGranularityBytes !== 0)) {
    throw refused(`Chunk size must be a multiple of ${chunkGranularityBytes} bytes, except for the last chunk.`);
  }
}

async function finalize({ uploads, files }: UploadDeps, session: UploadSession): Promise<StoredFile> {
  const { declaredBytes, received: size, owner, path } = session;
  if (declaredBytes !== undefined && size !== declaredBytes) {
    throw refused(`Upload has ${size} bytes, but ${declaredBytes} were announced.`);
  }
  const sha256 = await sha256Of(path);
  const file = files.add({ owner, path, size, sha256, ...session.metadata });
  await uploads.end(session, "final");
  return file;
}

function refused(message: string): ApiError {
  return invalidArgument(message, { headers: { "x-goog-upload-status": "active" } });
}

function contentLength({ request }: Exchange): number | undefined {
  const length = header(request, "content-length");
  if (length !== undefined) return Number(length);
  return header(request, "transfer-encoding") === undefined ? 0 : undefined;
}
