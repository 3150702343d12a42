import type { FileHandle } from "node:fs/promises";
import type { RunningHash, Slot } from "../copy/hashing/running-hash.ts";

/** Writes and hashes bytes while more of them arrive. */
export type WriteBehind = {
  /** Takes bytes, which may change after this resolves. Waits while as many bytes wait as one write takes. */
  add(bytes: Uint8Array): Promise<void>;
  /** Resolves when every byte is written and hashed. Rejects with the first failure. */
  finish(): Promise<void>;
};

/**
 * Creates a writer for one file. One write runs at a time. Bytes that arrive meanwhile become the next write. So a fast
 * source gets few and large writes, and a slow source holds no memory between its chunks. Calls `fail` once with the
 * first failure, because the source may be idle then.
 */
export function createWriteBehind(file: FileHandle, hash: RunningHash, fail: (error: unknown) => void): WriteBehind {
  let filling: { slot: Slot; bytes: number } | undefined;
  let oneWrite: Promise<unknown> | undefined;
  let writing: Promise<void> | undefined;
  let failed = false;

  const writeWhatCame = async () => {
    while (filling) {
      const { slot, bytes } = filling;
      filling = undefined;
      oneWrite = both(hash.update(slot, bytes), writeAll(file, slot.memory.subarray(0, bytes)));
      try {
        await oneWrite;
      } finally {
        hash.giveBack(slot);
      }
    }
    writing = undefined;
  };
  const begin = () => {
    if (writing) return;
    writing = writeWhatCame();
    writing.catch((error) => {
      if (filling) hash.giveBack(filling.slot);
      filling = undefined;
      failed = true;
      fail(error);
    });
  };

  const takeSlot = async () => {
    const slot = await hash.takeSlot();
    if (failed) {
      hash.giveBack(slot);
      await writing;
    }
    return { slot, bytes: 0 };
  };

  return {
    async add(bytes) {
      for (let at = 0; at < bytes.byteLength; ) {
        filling ??= await takeSlot();
        const { slot } = filling;
        const part = bytes.subarray(at, at + slot.memory.byteLength - filling.bytes);
        slot.memory.set(part, filling.bytes);
        filling.bytes += part.byteLength;
        at += part.byteLength;
        begin();
        while (filling?.bytes === slot.memory.byteLength) await oneWrite;
      }
    },
    async finish() {
      await writing;
    },
  };
}

/** Waits for both also when one fails: until then, the slot is in use. */
async function both(first: Promise<void>, second: Promise<void>): Promise<void> {
  const work = [first, second];
  await Promise.allSettled(work);
  await Promise.all(work);
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) at += (await file.write(bytes, at)).bytesWritten;
}
