import { withTimeLimit } from "@video-to-json/runtime/timing";
import type { Storage, StoredObject } from "./storage.ts";

/** Listing, deleting or reading the clock took too long, or was not tried because an earlier call still hangs. */
export class StorageHangs extends Error {
  constructor() {
    super("storage hangs; no further request is sent until it answers");
    this.name = "StorageHangs";
  }
}

type Housekeeping = Pick<Storage, "list" | "delete" | "now">;

/**
 * Limits how long listing, deleting and reading the clock may take, for work that must continue although a disk hangs.
 * A hanging call occupies a thread of the process, so every other call fails at once meanwhile.
 *
 * @param ms is for each call, and for each object of a list, in milliseconds.
 */
export function limitStorageTime(storage: Housekeeping, ms: number): Housekeeping {
  let hung = 0;

  async function limited<T>(start: () => Promise<T>): Promise<T> {
    if (hung > 0) throw new StorageHangs();
    const work = start();
    let isOver = false;
    const done = () => {
      isOver = true;
    };
    work.then(done, done);
    try {
      return await withTimeLimit(ms, () => new StorageHangs(), work);
    } catch (error) {
      if (!isOver) {
        hung++;
        const answered = () => {
          hung--;
        };
        work.then(answered, answered);
      }
      throw error;
    }
  }

  async function* list(): AsyncGenerator<StoredObject> {
    const objects = storage.list()[Symbol.asyncIterator]();
    for (;;) {
      const next = await limited(() => objects.next());
      if (next.done) return;
      yield next.value;
    }
  }

  return {
    list,
    delete: (key) => limited(() => storage.delete(key)),
    now: () => limited(() => storage.now()),
  };
}
