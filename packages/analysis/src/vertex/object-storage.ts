import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { isJsonObject } from "@video-to-json/contract";
import type { ProviderRequest, VideoFile } from "../analysis-provider.ts";
import type { Connection } from "../gemini/connection.ts";
import { displayNameOf, type GeminiFile } from "../gemini/copies.ts";
import { GeminiError } from "../gemini/gemini-error.ts";
import { refusedUpload } from "../gemini/refusal.ts";
import { type RetryContext, type RetryDeps, retryRequest } from "../gemini/retry-request.ts";
import type { Sdk } from "../gemini/sdk.ts";
import type { UploadedCopies } from "../gemini/upload-video.ts";

export type Bucket = {
  /** The address of Cloud Storage, without a slash at the end. */
  readonly url: string;
  readonly name: string;
};

type ObjectStorage = Pick<Sdk, "getFile" | "deleteFile" | "listFiles"> & {
  upload(video: VideoFile, context: RetryContext, uploaded: UploadedCopies): Promise<GeminiFile>;
  /** Throws with words for the operator if the bucket keeps what is deleted, or cannot be read. */
  checkBucket(signal: AbortSignal): Promise<void>;
};

/** Objects of other services may be in the same bucket. */
const folder = "video-to-json/";
const maxSilenceMs = 30_000;
const maxShortSilenceMs = 10_000;
const maxUploads = 4;

/**
 * Keeps the copies of videos as objects of a bucket, in the form of Gemini's files: the object `video-to-json/<job>_<id>` is the
 * file `files/<job>_<id>`.
 */
export function openObjectStorage(
  deps: RetryDeps & { readonly connection: Connection },
  bucket: Bucket,
): ObjectStorage {
  const objects = `${bucket.url}/storage/v1/b/${encodeURIComponent(bucket.name)}/o`;
  const objectOf = (file: string) => folder + file.slice("files/".length);
  const call = async (
    kind: ProviderRequest,
    url: string,
    signal: AbortSignal,
    silenceMs = maxShortSilenceMs,
  ): Promise<unknown> => {
    const method = kind === "delete" ? "DELETE" : "GET";
    const reply = await deps.connection.send({ kind, method, url, headers: {}, maxSilenceMs: silenceMs, signal });
    if (reply.status < 200 || reply.status > 299) throw deps.connection.errorOf(reply);
    return kind === "delete" ? undefined : readJson(reply.text);
  };
  return {
    getFile: async (name, signal) =>
      fileOf(bucket, await call("get", `${objects}/${encodeURIComponent(objectOf(name))}`, signal)),
    async deleteFile(name, signal) {
      await call("delete", `${objects}/${encodeURIComponent(objectOf(name))}`, signal);
    },
    async listFiles(pageToken, signal, silenceMs) {
      const query = new URLSearchParams({ prefix: folder, ...(pageToken && { pageToken }) });
      const { items, nextPageToken } = (await call("list", `${objects}?${query}`, signal, silenceMs)) as Listing;
      const files = (Array.isArray(items) ? items : []).map((item) => fileOf(bucket, item));
      return { files, nextPageToken };
    },
    async upload(video, context, uploaded) {
      const { size } = await stat(video.path);
      const name = `files/${video.jobId}_${randomUUID()}`;
      const query = new URLSearchParams({ uploadType: "media", name: objectOf(name) });
      const url = `${objects.replace("/storage/v1/", "/upload/storage/v1/")}?${query}`;
      // Also an upload whose reply is lost may have made the object.
      uploaded.names.add(name);
      const send = async () => {
        const headers = { "content-type": video.mimeType, "content-length": String(size) };
        const body = createReadStream(video.path);
        const { signal } = context;
        try {
          const request = { kind: "upload", method: "POST", url, headers, body, maxSilenceMs, signal } as const;
          const reply = await deps.connection.send(request);
          if (reply.status < 200 || reply.status > 299) throw deps.connection.errorOf(reply);
          return fileOf(bucket, readJson(reply.text)) as GeminiFile;
        } finally {
          body.destroy();
        }
      };
      return retryRequest(
        deps,
        { ...context, maxAttempts: Math.min(context.maxAttempts ?? maxUploads, maxUploads) },
        "upload",
        send,
        {
          // A token may have ended meanwhile.
          isRetryable: ({ status }) =>
            status === null || status === 401 || status === 408 || status === 429 || status >= 500,
          giveUp: (error) => refusedUpload(deps, context, error),
        },
      ).catch((error: unknown) => {
        throw error instanceof GeminiError ? refusedUpload(deps, context, error) : error;
      });
    },
    async checkBucket(signal) {
      const url = `${bucket.url}/storage/v1/b/${encodeURIComponent(bucket.name)}`;
      const { softDeletePolicy, versioning } = (await call("get", url, signal)) as Settings;
      const keptSeconds = Number(softDeletePolicy?.retentionDurationSeconds ?? 0);
      if (keptSeconds > 0 || versioning?.enabled === true) {
        throw new Error(
          `The bucket ${bucket.name} keeps deleted objects. Turn its soft delete and its versioning off, or videos outlive their jobs.`,
        );
      }
    },
  };
}

type Listing = { items?: unknown; nextPageToken?: unknown };
type Settings = { softDeletePolicy?: { retentionDurationSeconds?: unknown }; versioning?: { enabled?: unknown } };

/** Returns an object in the form of Gemini's description of a file. */
function fileOf(bucket: Bucket, object: unknown): Partial<GeminiFile> {
  if (!isJsonObject(object) || typeof object.name !== "string") return {};
  const id = object.name.slice(folder.length);
  return {
    name: `files/${id}`,
    uri: `gs://${bucket.name}/${object.name}`,
    displayName: displayNameOf(id.split("_")[0] ?? ""),
    sizeBytes: Number(object.size ?? Number.NaN),
    createTime: String(object.timeCreated ?? ""),
    state: "ACTIVE",
    error: null,
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new GeminiError("The reply is not a JSON object.", { status: 200 });
  }
}
