import { createHash, randomUUID } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { PassThrough, Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { Problem } from "@video-to-json/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ObjectMissing, type Storage, StorageUnavailable, type StoredObject } from "./storage.ts";

/** A new, empty storage for one test. */
export type StorageUnderTest = {
  storage: Storage;
  /** An existing directory for local copies of objects. */
  scratchDir: string;
  /** Returns the names of everything in the back end, including unfinished and foreign objects. */
  contents(): Promise<string[]>;
  /** The size of a chunk that becomes visible at once: an unfinished object is listed when its second chunk is read. */
  chunkBytes?: number;
  /** The precision of the storage's clock, in milliseconds. */
  clockMs?: number;
};

/** Limits that no object of these tests exceeds. */
export const noLimit = { maxBytes: 50_000_000 };

/** Yields one chunk of each size. */
export async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield Buffer.alloc(size, "x");
}

/** Returns a source that yields one chunk of `bytes` and then neither another chunk nor an end. */
function hangingSource(bytes = 10): { source: Readable; chunkTaken: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isFirst = true;
  const source = new Readable({
    read() {
      if (isFirst) this.push(Buffer.alloc(bytes));
      else resolve();
      isFirst = false;
    },
  });
  return { source, chunkTaken: promise };
}

export async function listed(storage: Storage): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  for await (const object of storage.list()) objects.push(object);
  return objects;
}

/**
 * Defines the tests that every back end must pass.
 *
 * @param open is called before each test.
 * @example
 * storageContract(async () => ({ storage: await openStorage(url), scratchDir, contents: () => namesIn(bucket) }));
 */
export function storageContract(open: () => Promise<StorageUnderTest>): void {
  let under: StorageUnderTest;
  let storage: Storage;
  let chunkBytes: number;
  beforeEach(async () => {
    under = await open();
    ({ storage, chunkBytes = 10 } = under);
  });

  describe("an object that was put", () => {
    test("reads back unchanged, with its size and SHA-256", async () => {
      const key = randomUUID();
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
      const put = await storage.put(key, Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), noLimit);
      expect(put).toEqual({ bytes: 300_000, sha256: createHash("sha256").update(bytes).digest("hex") });
      expect((await readFile(await storage.obtain(key, under.scratchDir))).equals(bytes)).toBe(true);
    });

    test("contains the source's bytes, even if a chunk changes after it was copied", async () => {
      const key = randomUUID();
      const source = Array.from({ length: 40 }, (_, i) => Buffer.alloc(65_536, i));
      const bytes = Buffer.concat(source);
      const onCopied = (chunk: Uint8Array) => void chunk.fill(255);
      const { sha256 } = await storage.put(key, Readable.from(source), { maxBytes: bytes.length, onCopied });
      expect(sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
      expect((await readFile(await storage.obtain(key, under.scratchDir))).equals(bytes)).toBe(true);
      expect(source.every((chunk) => chunk[0] === 255)).toBe(true);
    });

    test("was modified between two readings of the storage's clock, which leave nothing", async () => {
      const { clockMs = 0 } = under;
      const before = await storage.now();
      await storage.put(randomUUID(), chunks(1), noLimit);
      const after = await storage.now();
      const [object] = await listed(storage);
      expect(object?.modifiedAt.getTime()).toBeGreaterThanOrEqual(before.getTime() - clockMs);
      expect(object?.modifiedAt.getTime()).toBeLessThanOrEqual(after.getTime() + clockMs);
      expect(await under.contents()).toHaveLength(1);
    });

    test("may be empty", async () => {
      const key = randomUUID();
      expect(await storage.put(key, chunks(), noLimit)).toMatchObject({ bytes: 0 });
      expect(await readFile(await storage.obtain(key, under.scratchDir), "utf8")).toBe("");
    });

    test("is gone once deleted, and deleting it again does nothing", async () => {
      const key = randomUUID();
      await storage.put(key, chunks(1), noLimit);
      await storage.delete(key);
      await storage.delete(key);
      await expect(storage.obtain(key, under.scratchDir)).rejects.toThrow(ObjectMissing);
      expect(await under.contents()).toEqual([]);
    });

    test("does not appear if it was deleted while it was being put", async () => {
      const key = randomUUID();
      const source = new PassThrough();
      const putting = storage.put(key, source, noLimit);
      source.write(Buffer.alloc(chunkBytes));
      await expect.poll(() => listed(storage)).toHaveLength(1);
      await storage.delete(key);
      source.end();
      await expect(putting).rejects.toThrow(StorageUnavailable);
      expect(await under.contents()).toEqual([]);
    });

    test("does not appear before it is complete", async () => {
      const key = randomUUID();
      const source = new PassThrough();
      const putting = storage.put(key, source, noLimit);
      const first = Buffer.alloc(chunkBytes, "first half ");
      source.write(first);
      await expect.poll(() => listed(storage)).toMatchObject([{ complete: false }]);
      await expect(storage.obtain(key, under.scratchDir)).rejects.toThrow(ObjectMissing);
      source.end("second half");
      await putting;
      const whole = Buffer.concat([first, Buffer.from("second half")]);
      expect((await readFile(await storage.obtain(key, under.scratchDir))).equals(whole)).toBe(true);
    });

    test("is one of the two if two are put under one key at once", async () => {
      const key = randomUUID();
      await Promise.all([storage.put(key, chunks(10, 10), noLimit), storage.put(key, chunks(30, 30), noLimit)]);
      expect([20, 60]).toContain((await stat(await storage.obtain(key, under.scratchDir))).size);
      expect(await under.contents()).toHaveLength(1);
    });
  });

  describe("an object that could not be put leaves nothing", () => {
    afterEach(async () => expect(await under.contents()).toEqual([]));

    test("when it is one byte too large, and its source is stopped; exactly the limit is accepted", async () => {
      const key = randomUUID();
      await storage.put(key, chunks(600, 400), { maxBytes: 1_000 });
      await storage.delete(key);

      let read = 0;
      async function* endless() {
        for (;;) {
          read += 1;
          yield Buffer.alloc(1_001);
        }
      }
      const rejected = storage.put(key, endless(), { maxBytes: 1_000 });
      await expect(rejected).rejects.toThrow(Problem);
      await expect(rejected).rejects.toMatchObject({ code: "file_too_large" });
      expect(read).toBe(1);
    });

    test("when the source fails half way", async () => {
      const source = new PassThrough();
      const putting = storage.put(randomUUID(), source, noLimit);
      source.write("half");
      source.destroy(new Error("connection lost"));
      await expect(putting).rejects.toThrow("connection lost");
    });

    test("when the source fails before it is read", async () => {
      const source = new PassThrough();
      const putting = storage.put(randomUUID(), source, noLimit);
      // An `error` event without a listener would end the process.
      expect(source.listenerCount("error")).toBeGreaterThan(0);
      source.destroy(new Error("failed at once"));
      await expect(putting).rejects.toThrow("failed at once");
    });

    test.each(["fails", "is aborted"])("when a part of it is stored already and the source %s", async (how) => {
      const source = new PassThrough();
      const controller = new AbortController();
      const putting = storage.put(randomUUID(), source, { ...noLimit, signal: controller.signal });
      putting.catch(() => undefined);
      source.write(Buffer.alloc(chunkBytes));
      await expect.poll(() => listed(storage)).toHaveLength(1);
      if (how === "fails") source.destroy(new Error("caller left"));
      else controller.abort(new Error("caller left"));
      await expect(putting).rejects.toThrow("caller left");
    });

    test("when the source closes before it has ended", async () => {
      const source = new PassThrough();
      const putting = storage.put(randomUUID(), source, noLimit);
      source.write("half");
      await turn();
      source.destroy();
      await expect(putting).rejects.toThrow();
    });

    test("when it is aborted while the source hangs", async () => {
      const { source, chunkTaken } = hangingSource();
      const controller = new AbortController();
      const putting = storage.put(randomUUID(), source, { ...noLimit, signal: controller.signal });
      await chunkTaken;
      controller.abort(new Error("caller left"));
      await expect(putting).rejects.toThrow("caller left");
      expect(source.destroyed).toBe(true);
    });

    test("when it is aborted while a generator hangs", async () => {
      const controller = new AbortController();
      async function* hangs() {
        yield Buffer.from("some bytes");
        queueMicrotask(() => controller.abort(new Error("caller left")));
        await new Promise(() => undefined);
      }
      const putting = storage.put(randomUUID(), hangs(), { ...noLimit, signal: controller.signal });
      await expect(putting).rejects.toThrow("caller left");
    });

    test("when the signal is aborted already", async () => {
      const source = Readable.from(["never read"]);
      const signal = AbortSignal.abort(new Error("too late"));
      await expect(storage.put(randomUUID(), source, { ...noLimit, signal })).rejects.toThrow("too late");
      expect(source.destroyed).toBe(true);
    });
  });

  describe("keys", () => {
    const hostile = [
      "",
      ".",
      "..",
      "../secret",
      "/etc/passwd",
      "a/b",
      `${randomUUID()}/..`,
      `${randomUUID()}\0`,
      "ABC",
    ];

    test.each([...hostile, randomUUID().toUpperCase()])(
      "other than UUIDs in lower case are rejected: %j",
      async (key) => {
        await expect(storage.put(key, chunks(1), noLimit)).rejects.toThrow(TypeError);
        await expect(storage.obtain(key, under.scratchDir)).rejects.toThrow(TypeError);
        await expect(storage.delete(key)).rejects.toThrow(TypeError);
        expect(await under.contents()).toEqual([]);
      },
    );
  });

  describe("the list", () => {
    test("is empty at first", async () => {
      expect(await listed(storage)).toEqual([]);
    });

    test("shows complete and unfinished objects, and each can be deleted by its key", async () => {
      const [key, unfinished] = [randomUUID(), randomUUID()];
      await storage.put(key, chunks(5), noLimit);
      const { source } = hangingSource(chunkBytes);
      const controller = new AbortController();
      const hanging = storage.put(unfinished, source, { ...noLimit, signal: controller.signal });

      const isWritten = { key: unfinished, bytes: expect.any(Number), modifiedAt: expect.any(Date), complete: false };
      await expect.poll(() => listed(storage)).toContainEqual(isWritten);
      const objects = await listed(storage);
      expect(objects).toHaveLength(2);
      expect(objects).toContainEqual({ key, bytes: 5, modifiedAt: expect.any(Date), complete: true });
      for (const object of objects) await storage.delete(object.key);
      expect(await under.contents()).toEqual([]);

      controller.abort();
      await expect(hanging).rejects.toThrow();
    });
  });

  test("a new storage is ready", async () => {
    await storage.ready();
  });
}
