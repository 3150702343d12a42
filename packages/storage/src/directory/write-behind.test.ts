import type { FileHandle } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { RunningHash, Slot } from "../copy/hashing/hasher.ts";
import { createWriteBehind } from "./put-file.ts";

/** A file whose writes end when the test decides, and slots of four bytes. */
function open() {
  const writes: { text: string; end: PromiseWithResolvers<{ bytesWritten: number }> }[] = [];
  const write = (memory: Uint8Array, at: number) => {
    const end = Promise.withResolvers<{ bytesWritten: number }>();
    writes.push({ text: Buffer.from(memory).toString("utf8", at), end });
    return end.promise;
  };
  let taken = 0;
  const hash: RunningHash = {
    async takeSlot() {
      return { index: taken++, memory: new Uint8Array(4) };
    },
    update: async () => {},
    updateAndDigest: async () => "",
    giveBack: (_slot: Slot) => void taken--,
    digest: async () => "",
    [Symbol.dispose]: () => {},
  };
  const fail = vi.fn();
  const writer = createWriteBehind({ write } as unknown as FileHandle, hash, fail);
  const end = (index: number, bytesWritten = writes[index]?.text.length ?? 0) =>
    writes[index]?.end.resolve({ bytesWritten });
  return { writer, writes, end, fail, taken: () => taken };
}

test("a chunk is written at once, and what arrives meanwhile becomes one write", async () => {
  const { writer, writes, end, taken } = open();
  await writer.add(Buffer.from("a"));
  await writer.add(Buffer.from("b"));
  await writer.add(Buffer.from("c"));
  expect(writes.map(({ text }) => text)).toEqual(["a"]);
  end(0);
  await expect.poll(() => writes.map(({ text }) => text)).toEqual(["a", "bc"]);
  end(1);
  await writer.finish();
  expect(taken()).toBe(0);
});

test("a fast source waits while one slot is written and the next is full", async () => {
  const { writer, writes, end, taken } = open();
  const isTaken = vi.fn();
  const adding = writer.add(Buffer.from("abcdefgh")).then(isTaken);
  await turn();
  expect(isTaken).not.toHaveBeenCalled();
  expect(taken()).toBe(2);
  end(0);
  await adding;
  end(1);
  await writer.finish();
  expect(writes.map(({ text }) => text)).toEqual(["abcd", "efgh"]);
});

test("a write that the disk took in part is continued", async () => {
  const { writer, writes, end } = open();
  await writer.add(Buffer.from("abc"));
  end(0, 2);
  await expect.poll(() => writes.map(({ text }) => text)).toEqual(["abc", "c"]);
  end(1);
  await writer.finish();
});

test("a failure is reported while the source is idle, and gives back every slot", async () => {
  const { writer, writes, fail, taken } = open();
  await writer.add(Buffer.from("a"));
  await writer.add(Buffer.from("b"));
  const full = new Error("no space left");
  writes[0]?.end.reject(full);
  await expect.poll(() => fail.mock.calls).toEqual([[full]]);
  expect(taken()).toBe(0);
  await expect(writer.add(Buffer.from("c"))).rejects.toBe(full);
  await expect(writer.finish()).rejects.toBe(full);
  expect(taken()).toBe(0);
});
