import { Worker } from "node:worker_threads";
import { StorageUnavailable } from "../../storage-errors.ts";
import type { HashMemory, HashReply, HashTask } from "./hash-thread.ts";
import type { Hasher, Slot, SlotSizes } from "./running-hash.ts";

/** Starts the thread. Calls `onDeath` once; afterwards, no new hash may begin in this thread. */
export function startHashThread({ slotCount, slotBytes }: SlotSizes, onDeath: () => void): Hasher {
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
