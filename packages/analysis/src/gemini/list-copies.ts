import { isJsonObject } from "@video-to-json/contract";
import { type RetryContext, type RetryDeps, retryRequest } from "./retry-request.ts";
import type { Sdk } from "./sdk.ts";

const prefix = "video-to-json/";
const maxPages = 1000;

export type ListDeps = RetryDeps & { readonly sdk: Pick<Sdk, "listFiles"> };

/** Returns the display name under which a job's video is uploaded. It traces every copy to its job. */
export function displayNameOf(jobId: string): string {
  return prefix + jobId;
}

/** Returns the id of the job that a copy belongs to; null for a file that this service did not upload. */
export function jobIdOf(file: GeminiFile): string | null {
  return file.displayName.startsWith(prefix) ? file.displayName.slice(prefix.length) : null;
}

/**
 * Lists all provider copies that this service uploaded.
 *
 * @param maxSilenceMs time limit of each page, if less than the usual one.
 * @throws GeminiError or Problem `provider_unavailable`; the reason of `context.signal`.
 */
export async function listCopies(deps: ListDeps, context: RetryContext, maxSilenceMs?: number): Promise<GeminiFile[]> {
  const copies: GeminiFile[] = [];
  let pageToken: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const token: string | null = pageToken;
    const listed: unknown = await retryRequest(deps, context, "list copies", () =>
      deps.sdk.listFiles(token, context.signal, maxSilenceMs),
    );
    const { files, nextPageToken } = listed as { files?: unknown; nextPageToken?: unknown };
    for (const value of Array.isArray(files) ? files : []) {
      const file = readGeminiFile(value);
      if (file && jobIdOf(file) !== null) copies.push(file);
    }
    if (typeof nextPageToken !== "string" || nextPageToken === "" || nextPageToken === pageToken) break;
    pageToken = nextPageToken;
  }
  return copies;
}

/** Gemini's description of an uploaded file. */
export type GeminiFile = {
  name: string;
  uri: string | null;
  displayName: string;
  /** Null when Gemini does not report it. */
  sizeBytes: number | null;
  createTime: string;
  state: string;
  /** Why processing failed, if Gemini says so. */
  error: { code: number | null; message: string } | null;
};

/** Reads a File resource. Returns null when it is malformed, or when its name would change the path of a URL. */
export function readGeminiFile(value: unknown): GeminiFile | null {
  if (!isJsonObject(value) || typeof value.name !== "string" || !/^files\/[A-Za-z0-9_-]{1,128}$/.test(value.name))
    return null;
  const size = value.sizeBytes === undefined ? Number.NaN : Number(value.sizeBytes);
  return {
    name: value.name,
    uri: typeof value.uri === "string" && value.uri !== "" ? value.uri : null,
    displayName: textOrEmpty(value.displayName),
    sizeBytes: Number.isSafeInteger(size) ? size : null,
    createTime: textOrEmpty(value.createTime),
    state: textOrEmpty(value.state),
    error: isJsonObject(value.error)
      ? {
          code: typeof value.error.code === "number" ? value.error.code : null,
          message: textOrEmpty(value.error.message),
        }
      : null,
  };
}

/** Reads the `{file}` with which Gemini answers the last chunk of an upload. */
export function readUploadedFile(text: string): GeminiFile | null {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? readGeminiFile(body.file) : null;
  } catch {
    return null;
  }
}

function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}
