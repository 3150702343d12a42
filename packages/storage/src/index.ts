import { fileURLToPath } from "node:url";
import { defaultLimits, parseStorageUrl } from "@video-to-json/contract";
import { createDirectoryStorage } from "./directory/directory-storage.ts";
import type { Storage } from "./storage.ts";

export { limitStorageTime, StorageHangs } from "./limit-storage-time.ts";
export { ObjectMissing, type Storage, StorageUnavailable } from "./storage.ts";

/**
 * Opens the storage at a URL. Throws an Error that says which URLs are supported. Does not contact the server, so a
 * storage may be open and not ready.
 *
 * @param options.maxBytes is the largest object, in bytes.
 * @example const storage = await openStorage("file:///var/lib/video-to-json/storage");
 */
export async function openStorage(
  url: string,
  { maxBytes = defaultLimits.maxUploadBytes }: { maxBytes?: number } = {},
): Promise<Storage> {
  const address = parseStorageUrl(url);
  if (address.kind === "directory") return createDirectoryStorage(fileURLToPath(address.url));
  // This code loads the AWS SDK for a bucket only, because the SDK is large.
  const { createS3Storage } = await import("./s3/s3-storage.ts");
  return createS3Storage(address, { maxBytes });
}
