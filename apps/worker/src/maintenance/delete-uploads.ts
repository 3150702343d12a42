import type { Logger } from "@video-to-json/runtime/telemetry";
import { type Storage, StorageHangs } from "@video-to-json/storage";

type Deps = { readonly storage: Pick<Storage, "delete">; readonly log: Pick<Logger, "warn"> };

/**
 * Deletes uploads by key. A failed deletion is logged and does not stop the others. Returns the keys of the deleted
 * uploads.
 */
export async function deleteUploads({ storage, log }: Deps, keys: readonly string[]): Promise<string[]> {
  const deleted: string[] = [];
  for (const key of keys) {
    try {
      await storage.delete(key);
      deleted.push(key);
    } catch (error) {
      log.warn({ err: error, jobId: key }, "upload could not be deleted; trying again");
      if (error instanceof StorageHangs) break;
    }
  }
  return deleted;
}
