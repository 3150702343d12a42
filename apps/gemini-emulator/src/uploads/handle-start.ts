import type { FileStore } from "../files/file-store.ts";
import { invalidArgument } from "../protocol/api-error.ts";
import { type Exchange, header } from "../protocol/exchange.ts";
import { readJsonBody } from "../protocol/read-body.ts";
import type { Reply } from "../protocol/reply.ts";
import { chunkGranularity, largestFile } from "./upload-limits.ts";
import { readUploadMetadata } from "./upload-metadata.ts";
import type { UploadSessions } from "./upload-sessions.ts";

type Deps = { uploads: UploadSessions; files: Pick<FileStore, "checkName"> };

const mostMetadataBytes = 64 * 1024;

/** Starts a resumable upload: an empty 200 that carries the upload's own URL. */
export async function handleStart({ uploads, files }: Deps, exchange: Exchange, owner: string): Promise<Reply> {
  const { request, url } = exchange;
  await exchange.strike("start");
  const metadata = readUploadMetadata(await readJsonBody(request, mostMetadataBytes));
  const command = header(request, "x-goog-upload-command")?.trim();
  if (command !== "start") throw invalidArgument("Invalid X-Goog-Upload-Command: the upload must begin with `start`.");
  const declaredBytes = readLength(header(request, "x-goog-upload-header-content-length"));
  const mimeType = metadata.mimeType ?? header(request, "x-goog-upload-header-content-type");
  if (!mimeType) throw invalidArgument("* CreateFileRequest.file.mime_type: the MIME type must be specified");
  files.checkName(metadata.name);
  const session = await uploads.open({ owner, metadata: { ...metadata, mimeType }, declaredBytes });
  const uploadUrl = new URL(`${exchange.origin}${url.pathname}`);
  uploadUrl.searchParams.set("upload_id", session.id);
  uploadUrl.searchParams.set("upload_protocol", "resumable");
  // The service does the same: a key given in the URL comes back in the upload's URL.
  const key = url.searchParams.get("key");
  if (key) uploadUrl.searchParams.set("key", key);
  return {
    status: 200,
    headers: {
      "x-goog-upload-url": uploadUrl.href,
      "x-goog-upload-control-url": uploadUrl.href,
      "x-goog-upload-status": "active",
      "x-goog-upload-chunk-granularity": String(chunkGranularity),
      "x-guploader-uploadid": session.id,
    },
  };
}

function readLength(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const length = Number(value);
  if (!/^\d+$/.test(value)) throw invalidArgument("Invalid X-Goog-Upload-Header-Content-Length.");
  if (length > largestFile)
    throw invalidArgument(`File size exceeds the maximum allowed size of ${largestFile} bytes.`);
  return length;
}
