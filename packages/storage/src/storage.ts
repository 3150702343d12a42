import type { Readable } from "node:stream";
import { isUuid, Problem } from "@video-to-json/contract";

/** Storage has no object under this key: it was deleted or never put. */
export class ObjectMissing extends Error {
  constructor(key: string, options?: ErrorOptions) {
    super(`Storage has no object ${key}.`, options);
    this.name = "ObjectMissing";
  }
}

/**
 * Storage cannot take an object now, and it has kept no part of this one. The caller gets `provider_unavailable` and
 * can only retry later (docs/decisions/0005).
 */
export class StorageUnavailable extends Problem {
  constructor(options: { cause: unknown }) {
    const reason = "The service cannot store the video for now.";
    super("provider_unavailable", { reason }, { ...options, retryAfterSeconds: 60 });
    this.name = "StorageUnavailable";
  }
}

/** Returns the key. Throws a TypeError for an invalid key. */
export function requireKey(key: string): string {
  if (!isKey(key)) throw new TypeError("The key of an object must be a UUID in lower case.");
  return key;
}

/** Returns whether the text can be the key of an object. */
export function isKey(text: string): boolean {
  return isUuid(text) && text === text.toLowerCase();
}

/** One object in storage, complete or not. */
export type StoredObject = {
  /** The key under which it was put. */
  key: string;
  bytes: number;
  modifiedAt: Date;
  /** False while the object is being put, and permanently if the process that put it died. */
  complete: boolean;
};

/** The limits of one `put`. */
export type PutOptions = {
  /** The largest object in bytes; an object of exactly this size is accepted. */
  maxBytes: number;
  signal?: AbortSignal;
  /** Called with each chunk of the source after its bytes were copied. Its memory may then be reused. */
  onCopied?(chunk: Uint8Array): void;
};

/**
 * Holds the bytes of a video between the API that receives it and the worker that reads it. A key is a UUID in lower
 * case; every method throws a TypeError for another key.
 */
export type Storage = {
  /**
   * Stores the bytes under the key in constant memory. The object appears only when it is complete, and then survives a
   * power failure. Every failure destroys the source and deletes the incomplete object.
   *
   * @returns the size in bytes and the SHA-256 in hexadecimal.
   * @throws Problem `file_too_large` above `maxBytes`, `StorageUnavailable` if the storage cannot take the object,
   *   the signal's reason, or the error of the source.
   */
  put(
    key: string,
    bytes: AsyncIterable<Uint8Array> | Readable,
    options: PutOptions,
  ): Promise<{ bytes: number; sha256: string }>;
  /**
   * Returns the path of a local file that holds the object. The file is for reading only: it is the object itself, or,
   * if the storage is remote, a copy in `scratchDir`. Throws `ObjectMissing` if there is no such object.
   */
  obtain(key: string, scratchDir: string, signal?: AbortSignal): Promise<string>;
  /**
   * Deletes the object and everything unfinished under its key. A put in flight fails with `StorageUnavailable`. Does
   * nothing if there is no such object.
   */
  delete(key: string): Promise<void>;
  /** Yields all objects in no particular order, including unfinished ones. */
  list(): AsyncIterable<StoredObject>;
  /** Returns the time of the clock that sets `modifiedAt`. The clock of this process may differ from it. */
  now(): Promise<Date>;
  /** Resolves if objects can be put. Otherwise rejects with the reason. */
  ready(): Promise<void>;
};
