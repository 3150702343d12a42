import { type RetryContext, type RetryDeps, retryRequest } from "../wire/retry-request.ts";
import type { Sdk } from "../wire/sdk.ts";
import { type GeminiFile, readGeminiFile } from "./gemini-file.ts";

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
