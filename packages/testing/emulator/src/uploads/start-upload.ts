import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { FileStore } from "../files/files.ts";
import { type Exchange, header, readJsonBody } from "../protocol/exchange.ts";
import { readMessage, type Shape } from "../protocol/message.ts";
import { invalidArgument, type Reply } from "../protocol/reply.ts";

/** One resumable upload. */
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

/** What the requests of an upload need. */
export type UploadDeps = {
  /** The uploads by id, also those that ended: an ended upload and an unknown one get different refusals. */
  readonly uploads: Map<string, UploadSession>;
  readonly files: FileStore;
  /** The directory for uploaded bytes. */
  readonly dir: string;
  onBytes(bytes: number): void;
  onChange(): void;
};

/** Every chunk except the last is a multiple of this size. */
export const chunkGranularityBytes = 8 * 1024 * 1024;

/** Gemini documents 2 GB a file. The binary reading never refuses a file that Gemini accepts. */
export const maxFileBytes = 2 * 1024 ** 3;
export const fileTooLarge = `File size exceeds the maximum allowed size of ${maxFileBytes} bytes.`;

const maxMetadataBytes = 64 * 1024;

/** Starts a resumable upload. The reply has no body; its headers contain the URL of the upload. */
export async function startUpload(deps: UploadDeps, exchange: Exchange, owner: string): Promise<Reply> {
  const { request, url } = exchange;
  await exchange.injectFault("start");
  const metadata = readMetadata(await readJsonBody(request, maxMetadataBytes));
  if (header(request, "x-goog-upload-command")?.trim() !== "start")
    throw invalidArgument("Invalid X-Goog-Upload-Command: the upload must begin with `start`.");
  const declaredBytes = readLength(header(request, "x-goog-upload-header-content-length"));
  const mimeType = metadata.mimeType ?? header(request, "x-goog-upload-header-content-type");
  if (!mimeType) throw invalidArgument("* CreateFileRequest.file.mime_type: the MIME type must be specified");
  const id = randomBytes(24).toString("base64url");
  const path = join(deps.dir, id);
  await writeFile(path, "");
  const begun = { received: 0, hasChunk: false, state: "active", writing: undefined } as const;
  deps.uploads.set(id, { ...begun, id, owner, displayName: metadata.displayName, mimeType, declaredBytes, path });
  deps.onChange();
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

const fileShape: Shape = {
  displayName: { type: "string" },
  mimeType: { type: "string" },
  sizeBytes: { type: "int64" },
};

/** Reads `{"file": {...}}`. Throws INVALID_ARGUMENT for unknown fields. */
function readMetadata(body: Record<string, unknown>): { displayName?: string; mimeType?: string } {
  return readMessage({ file: { type: () => fileShape } }, body).file ?? {};
}
