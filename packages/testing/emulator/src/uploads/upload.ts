import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm, truncate, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { Operation } from "../faults/faults.ts";
import { fileResource, type StoredFile } from "../files/files.ts";
import {
  ConnectionLost,
  type EarlyReply,
  type Exchange,
  header,
  invalidArgument,
  type Reply,
  readJsonBody,
  refusal,
} from "../protocol/exchange.ts";
import { readMessage } from "../protocol/message.ts";
import { createFileRequest } from "../protocol/tables.ts";
import type { State } from "../state.ts";

export type UploadSession = {
  id: string;
  owner: string;
  displayName: string | undefined;
  mimeType: string;
  /** The size of the file, if the caller announced it. */
  declaredBytes: number | undefined;
  path: string;
  received: number;
  /** Whether the caller has sent a chunk, even one whose bytes did not arrive. */
  hasChunk: boolean;
  state: "active" | "final" | "cancelled";
  /** The connection of the request that is writing now, and a promise that settles when it ends. */
  writing: { socket: Socket; ended: Promise<void> } | undefined;
};

/** Every chunk except the last is a multiple of this size. */
const chunkGranularityBytes = 8 * 1024 * 1024;

/** Gemini documents 2 GB a file. The binary reading never refuses a file that Gemini accepts. */
const maxFileBytes = 2 * 1024 ** 3;
const fileTooLarge = `File size exceeds the maximum allowed size of ${maxFileBytes} bytes.`;

const maxMetadataBytes = 64 * 1024;

/** Starts a resumable upload. The reply has no body; its headers contain the URL of the upload. */
export async function startUpload(state: State, exchange: Exchange, owner: string): Promise<Reply> {
  const { request, url } = exchange;
  await exchange.injectFault("start");
  const { file: metadata = {} } = readMessage(createFileRequest, await readJsonBody(request, maxMetadataBytes));
  if (header(request, "x-goog-upload-command")?.trim() !== "start")
    throw invalidArgument("Invalid X-Goog-Upload-Command: the upload must begin with `start`.");
  const declaredBytes = readLength(header(request, "x-goog-upload-header-content-length"));
  const mimeType = metadata.mimeType ?? header(request, "x-goog-upload-header-content-type");
  if (!mimeType) throw invalidArgument("* CreateFileRequest.file.mime_type: the MIME type must be specified");
  if (!mimeTypes.test(mimeType)) throw invalidArgument(`Unsupported MIME type: ${mimeType}`);
  const begun = [...state.uploads.values()].filter((upload) => upload.owner === owner && upload.state === "active");
  const sizes = [
    ...state.files.list(owner).map(({ size }) => size),
    ...begun.map((upload) => upload.declaredBytes ?? 0),
  ];
  if (sizes.reduce((sum, size) => sum + size, declaredBytes ?? 0) > maxProjectBytes)
    throw refusal(429, "RESOURCE_EXHAUSTED", "The files of this project exceed its storage of 20 GB.");
  const id = randomBytes(24).toString("base64url");
  const path = join(state.dir, id);
  await writeFile(path, "");
  const unwritten = { received: 0, hasChunk: false, state: "active", writing: undefined } as const;
  state.uploads.set(id, { ...unwritten, id, owner, displayName: metadata.displayName, mimeType, declaredBytes, path });
  const uploadUrl = new URL(`${exchange.origin}${url.pathname}`);
  uploadUrl.searchParams.set("upload_id", id);
  uploadUrl.searchParams.set("upload_protocol", "resumable");
  // Like Gemini: a key in the request's URL returns in the upload's URL.
  const key = url.searchParams.get("key");
  if (key) uploadUrl.searchParams.set("key", key);
  const headers = {
    "x-goog-upload-url": uploadUrl.href,
    "x-goog-upload-control-url": uploadUrl.href,
    "x-goog-upload-status": "active",
    "x-goog-upload-chunk-granularity": String(chunkGranularityBytes),
    "x-guploader-uploadid": id,
  };
  return { status: 200, headers };
}

function readLength(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw invalidArgument("Invalid X-Goog-Upload-Header-Content-Length.");
  if (Number(value) > maxFileBytes) throw invalidArgument(fileTooLarge);
  return Number(value);
}

/** The kinds of files that models read, by Google's lists. */
const mimeTypes = /^(video|audio|image|text)\/[\w.+-]+|^application\/(pdf|json|xml|rtf|x-javascript|x-python)$/i;

/** Google allows 20 GB of files for each project. The words of its refusal are not known. */
const maxProjectBytes = 20e9;

/** Of a chunk whose connection closed, the emulator keeps whole blocks of this size. */
const keptBlockBytes = 256 * 1024;

/** Returns the operation that a request to the URL of an upload counts as. */
export function uploadOperation(exchange: Pick<Exchange, "request">): Operation {
  const command = readCommand(exchange);
  return command === "query" || command === "cancel" ? command : "chunk";
}

function readCommand({ request }: Pick<Exchange, "request">): string {
  return (header(request, "x-goog-upload-command") ?? "").toLowerCase().replaceAll(" ", "");
}

/** Answers every request to the URL of an upload. The id in the URL replaces the API key. */
export async function continueUpload(state: State, exchange: Exchange): Promise<Reply> {
  const session = state.uploads.get(exchange.url.searchParams.get("upload_id") ?? "");
  if (!session) throw refusal(404, "NOT_FOUND", "Requested entity was not found.");
  const command = readCommand(exchange);
  if (/^(upload|upload,finalize|finalize)$/.test(command)) return receiveChunk(state, exchange, session, command);
  if (command !== "query" && command !== "cancel")
    throw invalidArgument(`Invalid X-Goog-Upload-Command: ${command || "none"}.`);
  await exchange.injectFault(command);
  await endCurrentWrite(session, exchange);
  if (command === "cancel") {
    if (session.state !== "active") throw terminated(session);
    session.state = "cancelled";
    await rm(session.path, { force: true });
  }
  const headers = {
    "x-goog-upload-status": session.state,
    ...(command === "query" ? { "x-goog-upload-size-received": String(session.received) } : {}),
  };
  return { status: 200, headers };
}

async function receiveChunk(state: State, exchange: Exchange, session: UploadSession, command: string): Promise<Reply> {
  const [hasBytes, finalizes] = [command.startsWith("upload"), command.endsWith("finalize")];
  session.hasChunk ||= hasBytes;
  const fault = await exchange.injectFault("chunk", { finalizes });
  await endCurrentWrite(session, exchange);
  if (session.state !== "active") throw terminated(session);
  const { promise, resolve } = Promise.withResolvers<void>();
  session.writing = { socket: exchange.request.socket, ended: promise };
  let file: StoredFile | undefined;
  try {
    const stopAfter = fault?.kind === "drop" ? fault.afterBytes : undefined;
    if (hasBytes) await writeChunk(state, exchange, session, { isLast: finalizes, stopAfter });
    else if (contentLength(exchange) !== 0) throw refused("A bare finalize command carries no bytes.");
    if (finalizes) file = await finalize(state, session);
  } finally {
    session.writing = undefined;
    resolve();
  }
  if (!file) return { status: 200, headers: { "x-goog-upload-status": "active" } };
  if (fault?.kind === "cut-final-reply") throw new ConnectionLost();
  if (fault?.kind === "failed") file.fail();
  const headers = { "x-goog-upload-status": "final" };
  return { status: 200, json: { file: fileResource(file, exchange.origin) }, headers };
}

function terminated({ state }: UploadSession): EarlyReply {
  return invalidArgument("Upload has already been terminated.", { headers: { "x-goog-upload-status": state } });
}

/** Ends a write that the caller has given up: its retry can arrive before the server sees the closed connection. */
async function endCurrentWrite({ writing }: UploadSession, { request }: Exchange): Promise<void> {
  if (!writing) return;
  if (writing.socket !== request.socket) writing.socket.destroy();
  await writing.ended;
}

async function writeChunk(
  state: State,
  exchange: Exchange,
  session: UploadSession,
  { isLast, stopAfter }: { isLast: boolean; stopAfter: number | undefined },
): Promise<void> {
  const offset = session.received;
  const sentOffset = header(exchange.request, "x-goog-upload-offset");
  if (sentOffset === undefined || !/^\d+$/.test(sentOffset))
    throw refused("The X-Goog-Upload-Offset header is missing or invalid.");
  if (Number(sentOffset) !== offset)
    throw refused(`Invalid upload offset: ${sentOffset} was sent, ${offset} was expected.`);
  const announced = contentLength(exchange);
  if (announced !== undefined) checkLength(session, announced, isLast);
  const keep = async (bytes: number) => {
    await truncate(session.path, offset + bytes);
    session.received = offset + bytes;
  };
  const { bytes, whole } = await receiveBytes(exchange.request, session.path, offset, stopAfter);
  state.journal.uploadedBytes += bytes;
  if (!whole) {
    await keep(Math.floor(bytes / keptBlockBytes) * keptBlockBytes);
    throw new ConnectionLost();
  }
  try {
    checkLength(session, bytes, isLast);
  } catch (error) {
    await keep(0);
    throw error;
  }
  session.received = offset + bytes;
}

function checkLength({ received, declaredBytes }: UploadSession, bytes: number, isLast: boolean): void {
  if (declaredBytes !== undefined && received + bytes > declaredBytes) {
    throw refused(`Upload is larger than the ${declaredBytes} bytes announced in X-Goog-Upload-Header-Content-Length.`);
  }
  if (received + bytes > maxFileBytes) throw refused(fileTooLarge);
  if (!isLast && (bytes === 0 || bytes % chunkGranularityBytes !== 0)) {
    throw refused(`Chunk size must be a multiple of ${chunkGranularityBytes} bytes, except for the last chunk.`);
  }
}

async function finalize({ files }: State, session: UploadSession): Promise<StoredFile> {
  const { declaredBytes, received: size, owner, path, displayName, mimeType } = session;
  if (declaredBytes !== undefined && size !== declaredBytes)
    throw refused(`Upload has ${size} bytes, but ${declaredBytes} were announced.`);
  const file = files.add({ owner, path, size, sha256: await sha256Of(path), displayName, mimeType });
  session.state = "final";
  return file;
}

function refused(message: string): EarlyReply {
  return invalidArgument(message, { headers: { "x-goog-upload-status": "active" } });
}

function contentLength({ request }: Exchange): number | undefined {
  const length = header(request, "content-length");
  if (length !== undefined) return Number(length);
  return header(request, "transfer-encoding") === undefined ? 0 : undefined;
}

/**
 * Writes the body of a request into a file at an offset, while it arrives. Stops after `stopAfter` bytes.
 *
 * Returns the number of bytes written. `whole` is false if the connection closed first or `stopAfter` was reached.
 */
async function receiveBytes(
  request: IncomingMessage,
  path: string,
  offset: number,
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<{ bytes: number; whole: boolean }> {
  const file = await open(path, "r+");
  let bytes = 0;
  try {
    if (stopAfter <= 0) return { bytes, whole: false };
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const part = chunk.subarray(0, stopAfter - bytes);
      await file.write(part, 0, part.length, offset + bytes);
      bytes += part.length;
      if (bytes >= stopAfter) return { bytes, whole: false };
    }
    return { bytes, whole: request.complete };
  } catch (error) {
    if (!request.destroyed && !request.readableAborted) throw error;
    return { bytes, whole: false };
  } finally {
    await file.close();
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
