import { expect, test } from "vitest";
import { createEarlyFlush } from "./put-file.ts";

const step = 32 * 1024 * 1024;

/** A file whose flushes end when the test decides. */
function openFile() {
  const flushes: PromiseWithResolvers<void>[] = [];
  const datasync = () => {
    const flush = Promise.withResolvers<void>();
    flushes.push(flush);
    return flush.promise;
  };
  return { datasync, flushes };
}

test("a large file is flushed while it grows, a small one is not", () => {
  const [large, small] = [openFile(), openFile()];
  const early = createEarlyFlush();
  early.of(small).written(step - 1);
  early.of(large).written(step);
  expect([small.flushes.length, large.flushes.length]).toEqual([0, 1]);
});

test("one flush runs at a time, whichever file it belongs to", async () => {
  const [a, b] = [openFile(), openFile()];
  const early = createEarlyFlush();
  const [first, second] = [early.of(a), early.of(b)];
  first.written(step);
  second.written(step);
  expect(b.flushes.length).toBe(0);
  a.flushes[0]?.resolve();
  await first.end();
  second.written(step + 1);
  expect(b.flushes.length).toBe(1);
});

test("the end waits for a flush, and rejects if any failed", async () => {
  const file = openFile();
  const flush = createEarlyFlush().of(file);
  flush.written(step);
  file.flushes[0]?.reject(new Error("EIO"));
  await expect(flush.end()).rejects.toThrow("EIO");
  flush.written(2 * step);
  file.flushes[1]?.resolve();
  await expect(flush.end()).rejects.toThrow("EIO");
});
