import { randomUUID } from "node:crypto";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Connection } from "../wire/connection.ts";
import type { Patience } from "../wire/patience.ts";
import { cancelSession } from "./upload-session.ts";
import { uploadUrl } from "./upload-url.ts";

/**
 * Writes down in a folder where an upload that is now open can be cancelled: the service lists no open uploads, and would
 * keep the bytes of one that nobody ends. Gives the function that takes the note away. The address lets whoever has it send
 * bytes, so only its owner may read the file.
 */
export async function noteUpload(folder: string | undefined, address: string): Promise<() => Promise<void>> {
  if (folder === undefined) return async () => {};
  const path = join(folder, randomUUID());
  const forget = () => rm(path, { force: true });
  await writeFile(path, address, { mode: 0o600 }).catch(async (error) => {
    // On a full disk the file is there, and nothing is in it.
    await forget();
    throw error;
  });
  return forget;
}

const cancelMs = 5_000;
// The service does not say how long it keeps an open upload; Cloud Storage, whose protocol is much the same, says a week.
const longestUploadMs = 7 * 24 * 3_600_000;

type Deps = { connection: Connection; patience: Pick<Patience, "clock" | "log"> };

/**
 * Cancels the uploads that the notes in a folder tell of, once each, and takes away the notes of those that are over or
 * must be by now. Other notes stay for another time, and are logged. Throws the reason of `signal` once that aborts.
 */
export async function cancelNotedUploads(deps: Deps, folder: string, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(folder).catch(ifMissing<string[]>([]))) {
    signal.throwIfAborted();
    const path = join(folder, name);
    try {
      await cancelNoted(deps, path, signal);
      await rm(path, { force: true });
    } catch (error) {
      signal.throwIfAborted();
      deps.patience.log.warn({ note: path, err: error }, "an open upload was not cancelled; it is tried again");
    }
  }
}

async function cancelNoted({ connection, patience }: Deps, path: string, signal: AbortSignal): Promise<void> {
  const writtenAt = await stat(path).then(({ mtimeMs }) => mtimeMs, ifMissing(0));
  if (patience.clock.now() - writtenAt > longestUploadMs) return;
  const url = uploadUrl(await readFile(path, "utf8").catch(ifMissing("")), connection.baseUrl);
  if (url === null) return;
  await cancelSession(connection, url, AbortSignal.any([signal, AbortSignal.timeout(cancelMs)]));
}

/** Somebody else may have taken away what was there. */
function ifMissing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT") return instead;
    throw error;
  };
}
