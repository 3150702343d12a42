import { randomUUID } from "node:crypto";
import { access, mkdtemp, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { openStorage } from "../index.ts";
import { type Storage, StorageUnavailable } from "../storage.ts";
import { chunks, listed, noLimit, storageContract } from "../storage-contract.harness.ts";

let parent: string;
let directory: string;
let storage: Storage;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "storage-test-"));
  directory = join(parent, "objects");
  storage = await openStorage(pathToFileURL(directory).href);
});
afterEach(() => rm(parent, { recursive: true }));

storageContract(async () => ({ storage, scratchDir: parent, contents: () => readdir(directory).catch(() => []) }));

describe("an object in a directory", () => {
  test("is on disk, and its name too, before put resolves", async () => {
    const handle = await open(parent, "r");
    const sync = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, "sync");
    onTestFinished(() => sync.mockRestore());
    await handle.close();
    await storage.put(randomUUID(), chunks(1), noLimit);
    await Promise.all(sync.mock.results.map(({ value }) => value));
    expect(sync).toHaveBeenCalledTimes(2);
  });

  test("is readable by no other user of the machine", async () => {
    const key = randomUUID();
    await storage.put(key, chunks(1), noLimit);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(await storage.obtain(key, parent))).mode & 0o777).toBe(0o600);
  });

  test("has its key as its file name", async () => {
    const key = randomUUID();
    await storage.put(key, chunks(1), noLimit);
    expect(await readdir(directory)).toEqual([key]);
  });
});

describe("a put fails as StorageUnavailable", () => {
  test.each([
    ["a file has the directory's name", () => writeFile(directory, "")],
    ["a file has the parent's name", () => rm(parent, { recursive: true }).then(() => writeFile(parent, ""))],
  ])("if %s", async (_, spoil) => {
    await spoil();
    const source = Readable.from(["bytes"]);
    const error = await storage.put(randomUUID(), source, noLimit).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StorageUnavailable);
    expect(error).toMatchObject({ code: "provider_unavailable", retryAfterSeconds: 60 });
    expect(source.destroyed).toBe(true);
    await expect(storage.ready()).rejects.toThrow();
  });

  test("if the directory is deleted meanwhile", async () => {
    const source = new PassThrough();
    const putting = storage.put(randomUUID(), source, noLimit);
    source.write("half");
    await expect.poll(() => listed(storage)).toHaveLength(1);
    await rm(directory, { recursive: true });
    source.end();
    await expect(putting).rejects.toThrow(StorageUnavailable);
  });
});

test.each(["../secret", "..", `${randomUUID()}/../../secret`])("the key %j reaches no other file", async (key) => {
  await writeFile(join(parent, "secret"), "secret");
  await expect(storage.put(key, chunks(1), noLimit)).rejects.toThrow(TypeError);
  await expect(storage.delete(key)).rejects.toThrow(TypeError);
  await access(join(parent, "secret"));
});

test("a foreign file in the directory is neither listed nor deleted", async () => {
  const key = randomUUID();
  await storage.put(key, chunks(5), noLimit);
  await writeFile(join(directory, "README"), "not an object");
  expect(await listed(storage)).toMatchObject([{ key }]);
  await storage.delete(key);
  expect(await readdir(directory)).toEqual(["README"]);
});

describe("openStorage", () => {
  test("rejects another URL and says which ones are supported", async () => {
    await expect(openStorage("https://example.com/x")).rejects.toThrow("Use file:///an/absolute/directory or s3://");
  });

  test("returns a storage that is not ready if its directory cannot be created, and says why", async () => {
    await writeFile(join(parent, "file"), "");
    const storage = await openStorage(pathToFileURL(join(parent, "file", "below")).href);
    await expect(storage.ready()).rejects.toThrow("ENOTDIR");
  });
});
