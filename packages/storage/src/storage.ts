import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { openDirectory } from "./directory.ts";

/** One thing kept, or begun and never finished. */
export type StoredObject = {
  /** The key it was put under. */
  key: string;
  bytes: number;
  modifiedAt: Date;
  /** False while it is being put, and for good if whoever put it died. */
  complete: boolean;
};

/** How much may be put, and when to give up. */
export type PutOptions = {
  /** Most bytes accepted; exactly this many is fine. */
  maxBytes: number;
  signal?: AbortSignal;
};

/** Where the bytes of a video wait between being received and being looked at. Keys are UUIDs; another is a TypeError. */
export type Storage = {
  /**
   * Keeps the bytes under the key, hashing them on the way, in constant memory. The object appears when it is complete
   * and not before; once this resolves, a machine that loses its power has it all the same. On any failure nothing of it is left and the source is destroyed: Problem `file_too_large` over
   * `maxBytes`, `StorageUnavailable` when the disk does not take it, the signal's reason, or what the source threw.
   */
  put(
    key: string,
    bytes: AsyncIterable<Uint8Array> | Readable,
    options: PutOptions,
  ): Promise<{ bytes: number /** In hexadecimal. */; sha256: string }>;
  /**
   * Gives the path of a local file to read the object from, never to write to: the object itself, or a copy in
   * `scratchDir` where objects are kept elsewhere. Throws `ObjectMissing` if there is no such object.
   */
  obtain(key: string, scratchDir: string, signal?: AbortSignal): Promise<string>;
  /**
   * Removes all there is under the key: the object, and whatever was begun and not finished. A put still under way
   * fails. No fault if there is nothing.
   */
  delete(key: string): Promise<void>;
  /** Everything kept, in no order, unfinished objects included. */
  list(): AsyncIterable<StoredObject>;
  /** Resolves when objects can be put; rejects saying what is in the way. */
  ready(): Promise<void>;
};

/** Opens the storage that a URL names: `file:///directory`. Throws an Error saying what to write instead. */
export function openStorage(url: string): Storage {
  const { protocol, host, search, hash } = URL.parse(url) ?? {};
  if (protocol === "file:" && !host && !search && !hash) return openDirectory(fileURLToPath(url));
  throw new Error(`Cannot keep objects at a ${protocol ?? "malformed"} address. Use file:///an/absolute/directory.`);
}
