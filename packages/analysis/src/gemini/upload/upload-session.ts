import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { VideoFile } from "../../analysis-provider.ts";
import { displayNameOf } from "../copies/list-copies.ts";
import { type RemoteFile, readUploadedFile } from "../copies/remote-file.ts";
import { isAboutAccess } from "../questions/refusal.ts";
import type { Connection, Reply } from "../wire/connection.ts";
import { mayPass } from "../wire/patience.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { chunkSize } from "./chunk-size.ts";
import { uploadUrl } from "./upload-url.ts";
import { VideoBytesError, videoBytes } from "./video-bytes.ts";

/**
 * Where an upload stands: `at` a byte from which to go on, `stored` (without `file` when the reply did not carry it), or
 * `dead`, to be begun anew (`over`: the service itself holds it for ended, so that there is nothing to cancel).
 */
export type UploadPosition =
  | { kind: "at"; offset: number }
  | { kind: "stored"; file: RemoteFile | null }
  | { kind: "dead"; over: boolean; fault: ServiceFault };

/** One resumable upload. All throw ServiceFault when only `query` can tell where the upload stands. */
export type UploadSession = {
  /** Where it is reached: a secret as long as it is open. */
  address: string;
  /** Sends the next chunk from `offset`; the last one, or none when all bytes are there, finalizes. */
  advance(offset: number, signal: AbortSignal): Promise<UploadPosition>;
  query(signal: AbortSignal): Promise<UploadPosition>;
  /** Throws where the session may still be open afterwards. */
  cancel(signal: AbortSignal): Promise<void>;
  /** Whether the bytes from `offset` end the upload. */
  endsWith(offset: number): boolean;
};

export type UploadSource = { handle: FileHandle; size: number };

// The limit is for silence, not for a slow line: it begins anew with every piece that is written.
const quietMs = 30_000;

/** Asks for an upload session. Throws ServiceFault. */
export async function startUpload(
  connection: Connection,
  video: Pick<VideoFile, "mimeType" | "jobId">,
  source: UploadSource,
  signal: AbortSignal,
): Promise<UploadSession> {
  const { size } = source;
  const started = await connection.send({
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
    quietMs,
    signal,
  });
  if (!isOk(started)) throw connection.fault(started);
  const url = uploadUrl(started.headers["x-goog-upload-url"], connection.baseUrl);
  if (url === null) throw new ServiceFault("The upload was begun without a URL.", { status: started.status });
  const chunk = chunkSize(started.headers["x-goog-upload-chunk-granularity"]);
  const endsWith = (offset: number) => size - offset <= chunk;

  const command = (name: string, headers: Record<string, string>, signal: AbortSignal, body?: Readable) =>
    connection.send({
      method: "POST",
      url,
      headers: { "x-goog-upload-command": name, ...headers },
      ...(body ? { body } : {}),
      quietMs,
      signal,
    });

  return {
    address: url,
    endsWith,
    async advance(offset, signal) {
      const end = Math.min(size, offset + chunk);
      const name = offset === size && size > 0 ? "finalize" : endsWith(offset) ? "upload, finalize" : "upload";
      const headers = { "x-goog-upload-offset": String(offset), "content-length": String(end - offset) };
      const bytes = end > offset ? Readable.from(videoBytes(source.handle, offset, end)) : undefined;
      const reply = await command(name, headers, signal, bytes).catch((error: unknown) => {
        // The connection reports a body that cannot be read as a break of its own.
        throw bytes?.errored instanceof VideoBytesError ? bytes.errored : error;
      });
      return positionAfterChunk(connection, reply, endsWith(offset) ? null : end);
    },
    async query(signal) {
      return positionAfterQuery(connection, await command("query", { "content-length": "0" }, signal), size);
    },
    cancel: (signal) => cancelSession(connection, url, signal),
  };
}

/**
 * Cancels the upload session at an address, or finds that it is over. Throws ServiceFault where it may still be open: no
 * reply, or one that does not speak of the session.
 */
export async function cancelSession(connection: Connection, url: string, signal: AbortSignal): Promise<void> {
  const headers = { "x-goog-upload-command": "cancel", "content-length": "0" };
  const reply = await connection.send({ method: "POST", url, headers, quietMs, signal });
  if (isOk(reply) || settledPosition(connection, reply)) return;
  const fault = connection.fault(reply);
  if (!endedStatuses.has(fault.status) || isAboutAccess(fault)) throw fault;
}

/** 400 is what an upload that has ended answers; 499 is how Cloud Storage answers a cancellation. */
const endedStatuses: ReadonlySet<number | null> = new Set([400, 404, 410, 499]);

/** `end` is where a chunk that is not the last one leads to. */
function positionAfterChunk(connection: Connection, reply: Reply, end: number | null): UploadPosition {
  const settled = settledPosition(connection, reply);
  if (settled) return settled;
  if (!isOk(reply)) throw connection.fault(reply);
  if (end !== null && statusOf(reply) === "active") return { kind: "at", offset: end };
  throw new ServiceFault("The reply to a chunk does not say where the upload stands.", { status: reply.status });
}

function positionAfterQuery(connection: Connection, reply: Reply, size: number): UploadPosition {
  const settled = settledPosition(connection, reply);
  if (settled) return settled;
  if (!isOk(reply)) {
    const fault = connection.fault(reply);
    if (mayPass(fault)) throw fault;
    return { kind: "dead", over: fault.status === 404 || fault.status === 410, fault };
  }
  const received = reply.headers["x-goog-upload-size-received"] ?? "";
  if (statusOf(reply) === "active" && /^\d{1,15}$/.test(received) && Number(received) <= size) {
    return { kind: "at", offset: Number(received) };
  }
  const fault = new ServiceFault("The upload's position is not one of its bytes.", { status: reply.status });
  return { kind: "dead", over: false, fault };
}

/** What a reply says for good, whichever command it answers. */
function settledPosition(connection: Connection, reply: Reply): UploadPosition | null {
  const status = statusOf(reply);
  const settled = status === "final" || status === "cancelled";
  if (isOk(reply)) {
    const file = readUploadedFile(reply.text);
    if (status === "final" || (file && status !== "cancelled")) return { kind: "stored", file };
    if (!settled) return null;
    return { kind: "dead", over: true, fault: new ServiceFault("The upload was cancelled.", { status: reply.status }) };
  }
  return settled ? { kind: "dead", over: true, fault: connection.fault(reply) } : null;
}

function statusOf(reply: Reply): string {
  return (reply.headers["x-goog-upload-status"] ?? "").trim().toLowerCase();
}

function isOk(reply: Reply): boolean {
  return reply.status >= 200 && reply.status <= 299;
}
