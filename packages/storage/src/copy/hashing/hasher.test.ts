import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { StorageUnavailable } from "../../storage.ts";
import { createHasher, type RunningHash } from "./hasher.ts";

const sizes = { slotCount: 16, slotBytes: 512 * 1024 };

async function add(hash: RunningHash, bytes: Buffer): Promise<void> {
  const slot = await hash.takeSlot();
  slot.memory.set(bytes);
  await hash.update(slot, bytes.length);
  hash.giveBack(slot);
}

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

test("many hashes at once use few slots, and each has the digest of its own bytes", async () => {
  const hasher = createHasher(sizes);
  const digests = Array.from({ length: 60 }, async () => {
    using hash = hasher.begin();
    const parts = [randomBytes(70_000), randomBytes(3), randomBytes(200_000)];
    for (const part of parts) await add(hash, part);
    expect(await hash.digest()).toBe(sha256(Buffer.concat(parts)));
  });
  await Promise.all(digests);
});

test("an abandoned hash and a hash of no bytes do not disturb others", async () => {
  const hasher = createHasher(sizes);
  {
    using abandoned = hasher.begin();
    await add(abandoned, Buffer.from("never finished"));
  }
  using empty = hasher.begin();
  expect(await empty.digest()).toBe(sha256(Buffer.alloc(0)));
});

test("the bytes of one slot also get a separate digest", async () => {
  using hash = createHasher(sizes).begin();
  const parts = [randomBytes(700), randomBytes(900)];
  for (const part of parts) {
    const slot = await hash.takeSlot();
    slot.memory.set(part);
    expect(await hash.updateAndDigest(slot, part.length)).toBe(sha256(part));
    hash.giveBack(slot);
  }
  expect(await hash.digest()).toBe(sha256(Buffer.concat(parts)));
});

/** Returns the threads that start during a test. */
function watchThreads(): Worker[] {
  const threads: Worker[] = [];
  const note = (thread: Worker) => threads.push(thread);
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  return threads;
}

test("the thread drops an abandoned hash, and keeps the process alive only while a hash runs", async () => {
  const threads = watchThreads();
  const hasher = createHasher(sizes);
  const abandoned = hasher.begin();
  await add(abandoned, Buffer.from("never finished"));
  const [thread] = threads as [Worker];
  const [post, unref] = [vi.spyOn(thread, "postMessage"), vi.spyOn(thread, "unref")];
  abandoned[Symbol.dispose]();
  expect(post.mock.calls).toEqual([[{ what: "drop", hash: 0 }]]);
  expect(unref).toHaveBeenCalledOnce();
});

test("a thread that dies fails its hashes as StorageUnavailable, and the next hash has another thread", async () => {
  const threads = watchThreads();
  const hasher = createHasher(sizes);
  using hash = hasher.begin();
  await add(hash, Buffer.from("some bytes"));
  const gone = once(threads[0] as Worker, "exit");
  void threads[0]?.terminate();
  await expect(hash.digest()).rejects.toThrow(StorageUnavailable);
  await gone;
  await expect(hash.takeSlot()).rejects.toThrow(StorageUnavailable);
  using next = hasher.begin();
  await add(next, Buffer.from("more"));
  expect(await next.digest()).toBe(sha256(Buffer.from("more")));
});
