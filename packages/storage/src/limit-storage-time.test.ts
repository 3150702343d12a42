import { expect, test } from "vitest";
import { limitStorageTime, StorageHangs } from "./limit-storage-time.ts";
import type { StoredObject } from "./storage.ts";

/** A storage of one object. Deleting hangs until `answer` is called. */
function createHangingStorage() {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const object: StoredObject = { key: "k", bytes: 1, modifiedAt: new Date(0), complete: true };
  let deletions = 0;
  const storage = {
    list: async function* () {
      yield object;
    },
    delete: () => {
      deletions++;
      return answered;
    },
    now: async () => new Date(1),
  };
  return { storage, answer, object, deletions: () => deletions };
}

async function all(objects: AsyncIterable<StoredObject>): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  for await (const object of objects) found.push(object);
  return found;
}

test("a call that hangs fails in time, and no other call starts until it is answered", async () => {
  const { storage, answer, object, deletions } = createHangingStorage();
  const limited = limitStorageTime(storage, 20);
  await expect(limited.delete("a")).rejects.toThrow(StorageHangs);
  await expect(limited.delete("b")).rejects.toThrow(StorageHangs);
  await expect(limited.now()).rejects.toThrow(StorageHangs);
  await expect(all(limited.list())).rejects.toThrow(StorageHangs);
  expect(deletions()).toBe(1);
  answer();
  await expect.poll(() => limited.now().catch(() => undefined)).toEqual(new Date(1));
  expect(await all(limited.list())).toEqual([object]);
  await limited.delete("b");
});
