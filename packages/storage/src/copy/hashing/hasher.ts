import { Worker } from "node:worker_threads";
import { StorageUnavailable } from "../../storage.ts";
import type { HashMemory, HashReply, HashTask } from "./hash-thread.ts";

/** Computes SHA-256 in a thread, beside the event loop. */
export type Hasher = {
  /** Begins a hash. Dispose of it in any case. Throws `StorageUnavailable` if the thread cannot start. */
  begin(): RunningHash;
};

/**
 * A piece of memory for bytes that are hashed and written. There are few of them, so do not hold one while a source is
 * slow.
 */
export type Slot = { readonly index: number; readonly memory: Uint8Array };

/** A hash in progress. All methods reject with `StorageUnavailable` when the thread has died. */
export type RunningHash = {
  /** Waits for a free slot, in the order of the calls. */
  takeSlot(): Promise<Slot>;
  /** Adds the first bytes of a slot to the hash. Resolves when they have been read. */
  update(slot: Slot, bytes: number): Promise<void>;
  /** Like `update`, but returns the SHA-256 of these bytes alone, in hexadecimal. */
  updateAndDigest(slot: Slot, bytes: number): Promise<string>;
  giveBack(slot: Slot): void;
  /** Returns the SHA-256 of all bytes in hexadecimal. */
  digest(): Promise<string>;
  [Symbol.dispose](): void;
};

/** The memory that the sources of all hashes share. A slot takes no memory before its first use. */
export type SlotSizes = { readonly slotCount: number; readonly slotBytes: number };

/** Starts the thread. Calls `onDeath` once; afterwards, no new hash may begin in this thread. */
function startHashThread({ slotCount, slotBytes }: SlotSizes, onDeath: () => void): Hasher {
  const memory: HashMemory = { slots: new SharedArrayBuffer(slotCount * slotBytes), slotBytes };
  const thread = startThread(memory);
  const free: Slot[] = Array.from({ length: slotCount }, (_, index) => ({
    index,
    memory: new Uint8Array(memory.slots, index * slotBytes, slotBytes),
  }));
  const waiting: PromiseWithResolvers<Slot>[] = [];
  const updates = new Map<number, PromiseWithResolvers<string>>();
  const digests = new Map<number, PromiseWithResolvers<string>>();
  let running = 0;
  let begun = 0;
  let death: StorageUnavailable | undefined;

  thread.unref();
  thread.on("message", (reply: HashReply) => {
    if ("digest" in reply) {
      digests.get(reply.hash)?.resolve(reply.digest);
      digests.delete(reply.hash);
    } else {
      updates.get(reply.slot)?.resolve(reply.alone);
      updates.delete(reply.slot);
    }
  });
  const die = (cause: unknown) => {
    if (death) return;
    death = new StorageUnavailable({ cause });
    for (const { reject } of [...waiting.splice(0), ...updates.values(), ...digests.values()]) reject(death);
    onDeath();
  };
  thread.once("error", die).once("exit", (code) => die(new Error(`The hash thread ended with code ${code}.`)));

  const ask = <T>(task: HashTask, replies: Map<number, PromiseWithResolvers<T>>, key: number): Promise<T> => {
    if (death) return Promise.reject(death);
    const reply = Promise.withResolvers<T>();
    replies.set(key, reply);
    thread.postMessage(task);
    return reply.promise;
  };

  return {
    begin() {
      const hash = begun++;
      if (running++ === 0) thread.ref();
      return {
        async takeSlot() {
          if (death) throw death;
          const slot = free.pop();
          if (slot) return slot;
          const turn = Promise.withResolvers<Slot>();
          waiting.push(turn);
          return turn.promise;
        },
        async update({ index: slot }, bytes) {
          await ask({ what: "update", hash, slot, bytes, alone: false }, updates, slot);
        },
        updateAndDigest: ({ index: slot }, bytes) =>
          ask({ what: "update", hash, slot, bytes, alone: true }, updates, slot),
        giveBack(slot) {
          const next = waiting.shift();
          if (next) next.resolve(slot);
          else free.push(slot);
        },
        digest: () => ask({ what: "digest", hash }, digests, hash),
        [Symbol.dispose]() {
          thread.postMessage({ what: "drop", hash } satisfies HashTask);
          if (--running === 0) thread.unref();
        },
      };
    },
  };
}

function startThread(workerData: HashMemory): Worker {
  // The thread's file is next to this one in the sources, and next to the bundle in a release.
  const file = import.meta.url.endsWith(".ts") ? "./hash-thread.ts" : "./hash-thread.js";
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };
  try {
    return new Worker(new URL(file, import.meta.url), { workerData, resourceLimits, env: {}, execArgv: [] });
  } catch (cause) {
    throw new StorageUnavailable({ cause });
  }
}

/**
 * Creates a hasher with one thread for all hashes, which starts with the first one and does not keep the process alive
 * without one. A thread that dies fails its hashes, and the next hash starts another.
 */
export function createHasher(sizes: SlotSizes): Hasher {
  let thread: Hasher | undefined;
  const forget = () => {
    thread = undefined;
  };
  return {
    begin() {
      thread ??= startHashThread(sizes, forget);
      return thread.begin();
    },
  };
}
