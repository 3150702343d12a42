import { randomBytes } from "node:crypto";
import { access, constants, lstat, mkdir, open, opendir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createHasher } from "../copy/hashing/hasher.ts";
import { isKey, ObjectMissing, requireKey, type Storage, StorageUnavailable, type StoredObject } from "../storage.ts";
import { createEarlyFlush, isDiskFault, putFile } from "./put-file.ts";

const fileName = /^(?<key>[^.]+)(?<unfinished>\.[0-9a-f]{16}\.unfinished)?$/;

/** Returns the file name of a complete object, which is its key. Throws a TypeError for an invalid key. */
function objectName(key: string): string {
  return requireKey(key);
}

/** Returns a new file name for an object that is being put. Names of two puts always differ. */
function unfinishedName(key: string): string {
  return `${requireKey(key)}.${randomBytes(8).toString("hex")}.unfinished`;
}

/** Returns which object a file belongs to and whether it is complete. Returns undefined for a foreign file. */
function readFileName(name: string): { key: string; complete: boolean } | undefined {
  const { key, unfinished } = fileName.exec(name)?.groups ?? {};
  return key !== undefined && isKey(key) ? { key, complete: unfinished === undefined } : undefined;
}

/** The name of a file that is written to read the disk's clock. It is not a key, so it is never listed. */
const clockName = ".clock";

/** Bounds the memory of the uploads that are being written, whatever their number: 8 MiB. */
const writeMemory = { slotCount: 16, slotBytes: 512 * 1024 };

/** Returns a storage that keeps objects as files of one directory. Any number of processes may share it. */
export function createDirectoryStorage(directory: string): Storage {
  const putDeps = { hasher: createHasher(writeMemory), earlyFlush: createEarlyFlush() };
  const createDirectory = () => mkdir(directory, { recursive: true, mode: 0o700 });

  return {
    async put(key, bytes, options) {
      // The source may fail before it is read, and an `error` event without a listener ends the process.
      if (bytes instanceof Readable) bytes.on("error", () => undefined);
      try {
        const paths = { unfinished: join(directory, unfinishedName(key)), finished: join(directory, objectName(key)) };
        options.signal?.throwIfAborted();
        await createDirectory();
        return await putFile(putDeps, paths, bytes, options);
      } catch (error) {
        if (bytes instanceof Readable) bytes.destroy();
        // A full disk may fail any step: creating the directory, creating the file, writing, or closing.
        throw isDiskFault(error) ? new StorageUnavailable({ cause: error }) : error;
      }
    },

    async obtain(key, _scratchDir, signal) {
      const path = join(directory, objectName(key));
      signal?.throwIfAborted();
      await access(path, constants.R_OK).catch((cause: unknown) => {
        throw isAbsent(cause) ? new ObjectMissing(key, { cause }) : cause;
      });
      return path;
    },

    async delete(key) {
      const finished = objectName(key);
      const names = await readdir(directory).catch(undefinedIfAbsent);
      const unfinished = (names ?? []).filter((name) => name !== finished && readFileName(name)?.key === key);
      // The finished object is deleted last, in case a put finishes meanwhile.
      for (const name of [...unfinished, finished]) await rm(join(directory, name), { force: true });
    },

    list: () => listDirectory(directory),

    async now() {
      await createDirectory();
      const path = join(directory, clockName);
      const file = await open(path, "w", 0o600);
      try {
        await file.write(".");
        await file.sync();
        return (await file.stat()).mtime;
      } finally {
        await file.close();
        await rm(path, { force: true });
      }
    },

    async ready() {
      await createDirectory();
      await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    },
  };
}

async function* listDirectory(directory: string): AsyncGenerator<StoredObject> {
  const names = await opendir(directory).catch(undefinedIfAbsent);
  for await (const { name } of names ?? []) {
    const object = readFileName(name);
    if (!object) continue;
    // Another process may have deleted or finished it meanwhile.
    const file = await lstat(join(directory, name)).catch(undefinedIfAbsent);
    if (file?.isFile()) yield { ...object, bytes: file.size, modifiedAt: file.mtime };
  }
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
