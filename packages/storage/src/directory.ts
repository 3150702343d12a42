import { access, constants, lstat, mkdir, opendir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { objectName, readFileName, unfinishedName } from "./object-name.ts";
import { putFile } from "./put-file.ts";
import type { Storage, StoredObject } from "./storage.ts";
import { isStorageFault, ObjectMissing, StorageUnavailable } from "./storage-errors.ts";

/** Keeps objects as files of one directory, which any number of processes may share. */
export function openDirectory(directory: string): Storage {
  const make = () => mkdir(directory, { recursive: true, mode: 0o700 });

  return {
    async put(key, bytes, options) {
      // A source that fails before it is read from must not take the process down.
      if (bytes instanceof Readable) bytes.on("error", () => undefined);
      try {
        const places = { unfinished: join(directory, unfinishedName(key)), finished: join(directory, objectName(key)) };
        options.signal?.throwIfAborted();
        await make();
        return await putFile(places, bytes, options);
      } catch (error) {
        if (bytes instanceof Readable) bytes.destroy();
        // A full disk refuses the folder, the name, a chunk or, where it counts late, the end of a file.
        throw isStorageFault(error) ? new StorageUnavailable({ cause: error }) : error;
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
      const names = await readdir(directory).catch(nothingIfAbsent);
      const unfinished = (names ?? []).filter((name) => name !== finished && readFileName(name)?.key === key);
      // The finished object goes last: one that is finished this moment is caught all the same.
      for (const name of [...unfinished, finished]) await rm(join(directory, name), { force: true });
    },

    list: () => listDirectory(directory),

    async ready() {
      await make();
      await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    },
  };
}

async function* listDirectory(directory: string): AsyncGenerator<StoredObject> {
  const names = await opendir(directory).catch(nothingIfAbsent);
  for await (const { name } of names ?? []) {
    const object = readFileName(name);
    if (!object) continue;
    // Another process may have deleted or finished it meanwhile.
    const file = await lstat(join(directory, name)).catch(nothingIfAbsent);
    if (file?.isFile()) yield { ...object, bytes: file.size, modifiedAt: file.mtime };
  }
}

function nothingIfAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
