import { randomUUID } from "node:crypto";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Connection } from "./connection.ts";
import type { RetryDeps } from "./retry-request.ts";
import { cancelSession, uploadUrl } from "./upload-session.ts";

type CancelDeps = Pick<RetryDeps, "clock" | "log"> & { readonly connection: Connection };

const maxCancelMs = 5_000;
// Gemini does not publish how long it keeps an open upload. Google Cloud Storage, with a similar protocol, keeps it for
// a week.
const maxOpenMs = 7 * 24 * 3_600_000;

/**
 * Writes a file with the URL of an open upload, so that the upload can be cancelled after a crash: Gemini lists no open
 * uploads and keeps their bytes. Anyone with the URL can send bytes, so only the owner of the process may read the
 * file.
 *
 * @param directory if undefined, no record is written.
 * @returns a function that deletes the record.
 */
export async function recordUpload(directory: string | undefined, url: string): Promise<() => Promise<void>> {
  if (directory === undefined) return async () => {};
  const path = join(directory, randomUUID());
  const deleteRecord = () => rm(path, { force: true });
  await writeFile(path, url, { mode: 0o600 }).catch(async (error) => {
    // On a full disk the file exists and is empty.
    await deleteRecord();
    throw error;
  });
  return deleteRecord;
}

/**
 * Tries once to cancel each upload that has a record in `directory`. Deletes the records of uploads that are closed, or
 * older than a week. Other records stay and are logged. Throws the reason of `signal` when it aborts.
 */
export async function cancelRecordedUploads(deps: CancelDeps, directory: string, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(directory).catch(ifMissing<string[]>([]))) {
    signal.throwIfAborted();
    const path = join(directory, name);
    try {
      await cancelRecorded(deps, path, signal);
      await rm(path, { force: true });
    } catch (error) {
      signal.throwIfAborted();
      deps.log.warn({ record: path, err: error }, "open upload not cancelled; will try again");
    }
  }
}

async function cancelRecorded({ connection, clock }: CancelDeps, path: string, signal: AbortSignal): Promise<void> {
  const recordedAt = await stat(path).then(({ mtimeMs }) => mtimeMs, ifMissing(0));
  if (clock.now() - recordedAt > maxOpenMs) return;
  const url = uploadUrl(await readFile(path, "utf8").catch(ifMissing("")), connection.baseUrl);
  if (url === null) return;
  await cancelSession(connection, url, AbortSignal.any([signal, AbortSignal.timeout(maxCancelMs)]));
}

/** Another process may have deleted the file meanwhile. */
function ifMissing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT") return instead;
    throw error;
  };
}
