import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Service, startService } from "@video-to-json/stack/service";
import { afterAll, beforeAll, expect, test } from "vitest";

let folder: string;
let service: Service;
const places = { storage: "", scratch: "" };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "v2j-lost-directories-"));
  places.storage = join(folder, "storage");
  places.scratch = join(folder, "scratch");
  service = await startService({
    env: { STORAGE_URL: pathToFileURL(places.storage).href, SCRATCH_DIR: places.scratch },
  });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Replaces a directory by a file; restores the directory at the end of the block. */
async function replace(directory: string): Promise<AsyncDisposable> {
  await mkdir(directory, { recursive: true });
  await rename(directory, `${directory}.away`);
  await writeFile(directory, "");
  return {
    async [Symbol.asyncDispose]() {
      await rm(directory);
      await rename(`${directory}.away`, directory);
    },
  };
}

test("while a file replaces the storage directory, uploads get a transient error; afterwards they succeed", async () => {
  {
    await using _replaced = await replace(places.storage);
    const { status, headers, body } = await service.extract();
    expect([status, body.error?.code]).toEqual([503, "provider_unavailable"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect((await service.extract()).status).toBe(200);
});

test("a job that finds a file instead of the scratch directory is retried for some time and then fails uncharged", async () => {
  const before = await service.secondsRemaining();
  const began = performance.now();
  {
    await using _replaced = await replace(places.scratch);
    const { status, body } = await service.extract();
    expect([status, body.error?.code]).toEqual([500, "internal_error"]);
  }
  const seconds = (performance.now() - began) / 1000;
  expect(seconds).toBeGreaterThan(20);
  expect(seconds).toBeLessThan(90);
  expect(await service.secondsRemaining()).toBe(before);
  expect((await service.extract()).status).toBe(200);
});
