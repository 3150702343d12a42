import { readFile, rm, writeFile } from "node:fs/promises";
import type { Connection } from "../wire/connection.ts";
import { cancelSession } from "./upload-session.ts";
import { uploadUrl } from "./upload-url.ts";

/**
 * Writes down where an upload that is now open can be cancelled: the service lists no open uploads, and would keep the
 * bytes of one whose process dies. Gives the function that takes the note away. The address lets whoever has it send
 * bytes, so only its owner may read the file.
 */
export async function noteUpload(path: string | undefined, address: string): Promise<() => Promise<void>> {
  if (path === undefined) return async () => {};
  await writeFile(path, address, { mode: 0o600 });
  return () => rm(path, { force: true });
}

const cancelMs = 5_000;

/**
 * Cancels the upload that a note tells of, if there is one; one that has ended is left as it is. Says whether it was
 * cancelled. Throws ServiceFault when the service cannot be reached.
 */
export async function cancelNotedUpload(connection: Connection, path: string): Promise<boolean> {
  const address = await readFile(path, "utf8").catch(() => undefined);
  const url = uploadUrl(address, connection.baseUrl);
  if (url === null) return false;
  const { status } = await cancelSession(connection, url, AbortSignal.timeout(cancelMs));
  return status >= 200 && status <= 299;
}
