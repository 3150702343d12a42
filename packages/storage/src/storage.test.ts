import { createHash, randomUUID } from "node:crypto";
import { access, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Problem } from "@video-to-json/contract";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ObjectMissing, openStorage, StorageUnavailable } from "./index.ts";
import type { Storage, StoredObject } from "./storage.ts";

let parent: string;
let directory: string;
let storage: Storage;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "storage-test-"));
  directory = join(parent, "objects");
  storage = openStorage(pathToFileURL(directory).href);
});
afterEach(() => rm(parent, { recursive: true }));

const plenty = { maxBytes: 1_000_000 };

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield Buffer.alloc(size, "x");
}

/** Gives one chunk, then neither another nor an end. */
function stuck(): { source: Readable; chunkTaken: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let given = false;
  const source = new Readable({
    read() {
      if (given) resolve();
      else this.push("some bytes");
      given = true;
    },
  });
  return { source, chunkTaken: promise };
}

async function listed(): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  for await (const object of storage.list()) objects.push(object);
  return objects;
}

describe("an object that was put", () => {
  test("reads back as it was, with its size and SHA-256", async () => {
    const key = randomUUID();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
    const put = await storage.put(key, Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), plenty);
    expect(put).toEqual({ bytes: 300_000, sha256: createHash("sha256").update(bytes).digest("hex") });
    expect(await readFile(await storage.obtain(key, parent))).toEqual(bytes);
  });

  test("is written down to the disk, and its name too, before it is said to be there", async () => {
    const handle = await open(parent, "r");
    const sync = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, "sync");
    onTestFinished(() => sync.mockRestore());
    await handle.close();
    await storage.put(randomUUID(), chunks(1), plenty);
    await Promise.all(sync.mock.results.map(({ value }) => value));
    expect(sync).toHaveBeenCalledTimes(2);
  });

  test("may be empty", async () => {
    const key = randomUUID();
    expect(await storage.put(key, chunks(), plenty)).toMatchObject({ bytes: 0 });
    expect(await readFile(await storage.obtain(key, parent), "utf8")).toBe("");
  });

  test("is readable by nobody else on the machine", async () => {
    const key = randomUUID();
    await storage.put(key, chunks(1), plenty);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(await storage.obtain(key, parent))).mode & 0o777).toBe(0o600);
  });

  test("is gone once deleted, and deleting it again is no fault", async () => {
    const key = randomUUID();
    await storage.put(key, chunks(1), plenty);
    await storage.delete(key);
    await storage.delete(key);
    await expect(storage.obtain(key, parent)).rejects.toThrow(ObjectMissing);
    expect(await readdir(directory)).toEqual([]);
  });

  test("is not there after all if it was deleted while being put", async () => {
    const key = randomUUID();
    const source = new PassThrough();
    const putting = storage.put(key, source, plenty);
    source.write("half");
    await expect.poll(listed).toHaveLength(1);
    await storage.delete(key);
    source.end();
    await expect(putting).rejects.toMatchObject({ cause: { code: "ENOENT" } });
    expect(await readdir(directory)).toEqual([]);
  });

  test("does not appear before it is complete", async () => {
    const key = randomUUID();
    const source = new PassThrough();
    const putting = storage.put(key, source, plenty);
    source.write("first half ");
    await expect.poll(listed).toMatchObject([{ complete: false }]);
    await expect(storage.obtain(key, parent)).rejects.toThrow(ObjectMissing);
    source.end("second half");
    await putting;
    expect(await readFile(await storage.obtain(key, parent), "utf8")).toBe("first half second half");
  });

  test("is one of the two when two are put under one key at once", async () => {
    const key = randomUUID();
    await Promise.all([storage.put(key, chunks(10, 10), plenty), storage.put(key, chunks(30, 30), plenty)]);
    expect([20, 60]).toContain((await stat(await storage.obtain(key, parent))).size);
    expect(await readdir(directory)).toEqual([key]);
  });
});

describe("an object that could not be put leaves nothing", () => {
  afterEach(async () => expect(await readdir(directory).catch(() => [])).toEqual([]));

  test("when it is one byte too large, and the source is stopped; exactly the limit is fine", async () => {
    const key = randomUUID();
    await storage.put(key, chunks(600, 400), { maxBytes: 1_000 });
    await storage.delete(key);

    let given = 0;
    async function* endless() {
      for (;;) {
        given += 1;
        yield Buffer.alloc(1_001);
      }
    }
    const refused = storage.put(key, endless(), { maxBytes: 1_000 });
    await expect(refused).rejects.toThrow(Problem);
    await expect(refused).rejects.toMatchObject({ code: "file_too_large" });
    expect(given).toBe(1);
  });

  test("when the source fails half way", async () => {
    const source = new PassThrough();
    const putting = storage.put(randomUUID(), source, plenty);
    source.write("half");
    source.destroy(new Error("the line went dead"));
    await expect(putting).rejects.toThrow("the line went dead");
  });

  test("when the source has failed before anything is read of it", async () => {
    const source = new PassThrough();
    const putting = storage.put(randomUUID(), source, plenty);
    // An `error` event that nobody hears would end the process.
    expect(source.listenerCount("error")).toBeGreaterThan(0);
    source.destroy(new Error("gone at once"));
    await expect(putting).rejects.toThrow("gone at once");
  });

  test("when the source ends without having finished", async () => {
    const source = new PassThrough();
    const putting = storage.put(randomUUID(), source, plenty);
    source.write("half");
    await turn();
    source.destroy();
    await expect(putting).rejects.toThrow();
  });

  test("when it is aborted while the source says nothing", async () => {
    const { source, chunkTaken } = stuck();
    const controller = new AbortController();
    const putting = storage.put(randomUUID(), source, { ...plenty, signal: controller.signal });
    await chunkTaken;
    controller.abort(new Error("caller left"));
    await expect(putting).rejects.toThrow("caller left");
    expect(source.destroyed).toBe(true);
  });

  test("when it is aborted while a generator never yields again", async () => {
    const controller = new AbortController();
    async function* hangs() {
      yield Buffer.from("some bytes");
      queueMicrotask(() => controller.abort(new Error("caller left")));
      await new Promise(() => undefined);
    }
    const putting = storage.put(randomUUID(), hangs(), { ...plenty, signal: controller.signal });
    await expect(putting).rejects.toThrow("caller left");
  });

  test("when the signal had aborted before", async () => {
    const source = Readable.from(["never read"]);
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(storage.put(randomUUID(), source, { ...plenty, signal })).rejects.toThrow("too late");
    expect(source.destroyed).toBe(true);
  });
});

describe("a directory that takes no object", () => {
  test.each([
    ["a file stands in its place", () => writeFile(directory, "")],
    ["a file stands in its parent's place", () => rm(parent, { recursive: true }).then(() => writeFile(parent, ""))],
  ])("is told as trouble that will pass, where %s", async (_, spoil) => {
    await spoil();
    const source = Readable.from(["bytes"]);
    const refused = await storage.put(randomUUID(), source, plenty).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StorageUnavailable);
    expect(refused).toMatchObject({ code: "provider_unavailable", retryAfterSeconds: 60 });
    expect(source.destroyed).toBe(true);
    await expect(storage.ready()).rejects.toThrow();
  });

  test("is told as trouble that will pass, where it is deleted while an object is put", async () => {
    const source = new PassThrough();
    const putting = storage.put(randomUUID(), source, plenty);
    source.write("half");
    await expect.poll(listed).toHaveLength(1);
    await rm(directory, { recursive: true });
    source.end();
    await expect(putting).rejects.toThrow(StorageUnavailable);
  });
});

describe("keys", () => {
  const hostile = ["", ".", "..", "../secret", "/etc/passwd", "a/b", `${randomUUID()}/..`, `${randomUUID()}\0`, "ABC"];

  test.each(hostile)("that are no UUID reach no file: %j", async (key) => {
    await writeFile(join(parent, "secret"), "secret");
    await expect(storage.put(key, chunks(1), plenty)).rejects.toThrow(TypeError);
    await expect(storage.obtain(key, parent)).rejects.toThrow(TypeError);
    await expect(storage.delete(key)).rejects.toThrow(TypeError);
    await access(join(parent, "secret"));
  });
});

describe("the list", () => {
  test("is empty before anything was put", async () => {
    expect(await listed()).toEqual([]);
  });

  test("shows finished and unfinished objects, each deletable by its key, and no foreign file", async () => {
    const [key, unfinished] = [randomUUID(), randomUUID()];
    await storage.put(key, chunks(5), plenty);
    await writeFile(join(directory, "README"), "not ours");
    const { source, chunkTaken } = stuck();
    const controller = new AbortController();
    const dying = storage.put(unfinished, source, { ...plenty, signal: controller.signal });
    await chunkTaken;

    const objects = await listed();
    expect(objects).toHaveLength(2);
    expect(objects).toContainEqual({ key, bytes: 5, modifiedAt: expect.any(Date), complete: true });
    expect(objects).toContainEqual({ key: unfinished, bytes: 10, modifiedAt: expect.any(Date), complete: false });
    for (const object of objects) await storage.delete(object.key);
    expect(await readdir(directory)).toEqual(["README"]);

    controller.abort();
    await expect(dying).rejects.toThrow();
  });
});

describe("opening", () => {
  test.each(["s3://bucket/path", "https://example.com/x", "file://host/dir", "file:///dir?x=1", "/a/path", ""])(
    "refuses %j, saying what to use instead",
    (url) => {
      expect(() => openStorage(url)).toThrow("Use file:///an/absolute/directory.");
    },
  );

  test("is ready where a directory can be made, and says what is in the way where not", async () => {
    await storage.ready();
    await writeFile(join(parent, "file"), "");
    await expect(openStorage(pathToFileURL(join(parent, "file", "below")).href).ready()).rejects.toThrow("ENOTDIR");
  });
});
