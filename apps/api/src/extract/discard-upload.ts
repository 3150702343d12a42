import type { Logger } from "@video-to-json/runtime/telemetry";
import type { Storage } from "@video-to-json/storage";

export type DiscardUploadDeps = { readonly storage: Pick<Storage, "delete">; readonly log: Pick<Logger, "warn"> };

/** Deletes an upload that no job owns. If storage fails, a worker's sweep deletes it later, and the caller is served. */
export async function discardUpload({ storage, log }: DiscardUploadDeps, id: string): Promise<void> {
  await storage.delete(id).catch((error) => log.warn({ err: error }, "cannot delete an upload that no job owns"));
}
