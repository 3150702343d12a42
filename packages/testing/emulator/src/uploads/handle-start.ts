import type { FileStore } from "../files/file-store.ts";
import { invalidArgument } from "../protocol/api-error.ts";
import { type Exchange, header } from "../protocol/exchange.ts";
import { readJsonBody } from "../protocol/read-body.ts";
import type { Reply } from "../protocol/reply.ts";
import { chunkGranularityBytes, fileTooLarge, maxFileBytes } from "./upload-limits.ts";
import { readUploadMetadata } from "./upload-metadata.ts";
import type { UploadSessions } from "./upload-sessions.ts";

type StartDeps = { readonly uploads: UploadSessions; readonly files: Pick<FileStore, "checkName"> };

const maxMetadataBytes = 64 * 1024;

/** Starts a resumable upload. The reply has no body; its headers contain the URL of the upload. */
export async function handleStart({ uploads, files }: StartDeps, exchange: Exchange, owner: string): Promise<Reply> {
  const { request, url } = exchange;
  await exchange.injectFault("start");
  const metadata = readUploadMetadata(await readJsonBody(request, maxMetadataBytes));
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
  // Like Gemini: a key in the request's URL returns in the upload's URL.
  const key = url.searchParams.get("key");
  if (key) uploadUrl.searchParams.set("key", key);
  return {
    status: 200,
    headers: {
      "x-goog-upload-url": uploadUrl.href,
      "x-goog-upload-control-url": uploadUrl.href,
      "x-goog-upload-status": "active",
      "x-goog-upload-chunk-granularity": String(chunkGranularityBytes),
      "x-guploader-uploadid": session.id,
    },
  };
}

function readLength(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const length = Number(value);
  if (!/^\d+$/.test(value)) throw invalidArgument("Invalid X-Goog-Upload-Header-Content-Length.");
  if (length > maxFileBytes) throw invalidArgument(fileTooLarge);
  return length;
}
