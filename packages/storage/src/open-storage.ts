import { fileURLToPath } from "node:url";
import { createDirectoryStorage } from "./directory/directory-storage.ts";
import type { Storage } from "./storage.ts";

/**
 * Returns the storage at a URL. Throws an Error that says which URLs are supported.
 *
 * @example
 * const storage = openStorage("file:///var/lib/video-to-json/storage");
 */
export function openStorage(url: string): Storage {
  const { protocol, host, search, hash } = URL.parse(url) ?? {};
  if (protocol === "file:" && !host && !search && !hash) return createDirectoryStorage(fileURLToPath(url));
  throw new Error(`Storage at a ${protocol ?? "malformed"} URL is not supported. Use file:///an/absolute/directory.`);
}
