import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createHasher } from "../copy/hashing/hasher.ts";
import { putFile } from "./put-file.ts";

test("a file whose early flush failed is not stored", async () => {
  const folder = await mkdtemp(join(tmpdir(), "put-file-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const hasher = createHasher({ slotCount: 1, slotBytes: 1024 });
  const failed = { written: () => {}, end: () => Promise.reject(new Error("EIO")) };
  const paths = { unfinished: join(folder, "a.part"), finished: join(folder, "a") };
  async function* source() {
    yield Buffer.from("video");
  }
  const put = putFile({ hasher, earlyFlush: { of: () => failed } }, paths, source(), { maxBytes: 100 });
  await expect(put).rejects.toThrow("EIO");
  expect(await readdir(folder)).toEqual([]);
});
