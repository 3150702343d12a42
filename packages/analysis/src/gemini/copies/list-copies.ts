import { type Patience, type PatientRun, withPatience } from "../wire/patience.ts";
import type { Sdk } from "../wire/sdk.ts";
import { type RemoteFile, readRemoteFile } from "./remote-file.ts";

const prefix = "video-to-json/";
const mostPages = 1000;

/** The display name under which a job's copy is uploaded, so that any copy can be traced to its job. */
export function displayNameOf(jobId: string): string {
  return prefix + jobId;
}

/** The job a copy belongs to; null for files that are not ours. */
export function jobIdOf(file: RemoteFile): string | null {
  return file.displayName.startsWith(prefix) ? file.displayName.slice(prefix.length) : null;
}

/** Every copy of ours at the service, all pages of its list; `quietMs` is how long each may be silent, if less than usual. */
export async function listCopies(
  deps: { sdk: Sdk; patience: Patience },
  run: PatientRun,
  quietMs?: number,
): Promise<RemoteFile[]> {
  const copies: RemoteFile[] = [];
  let pageToken: string | null = null;
  for (let page = 0; page < mostPages; page++) {
    const token: string | null = pageToken;
    const listed: unknown = await withPatience(deps.patience, run, "list", () =>
      deps.sdk.listFiles(token, run.signal, quietMs),
    );
    const { files, nextPageToken } = listed as { files?: unknown; nextPageToken?: unknown };
    for (const value of Array.isArray(files) ? files : []) {
      const file = readRemoteFile(value);
      if (file && jobIdOf(file) !== null) copies.push(file);
    }
    if (typeof nextPageToken !== "string" || nextPageToken === "" || nextPageToken === pageToken) break;
    pageToken = nextPageToken;
  }
  return copies;
}
