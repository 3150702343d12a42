import { createHash, type Hash } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";

/** The messages to the thread. For each hash: any number of updates, then an end. */
export type HashTask =
  | {
      readonly what: "update";
      readonly hash: number;
      readonly slot: number;
      readonly bytes: number;
      /** Whether to also answer with the SHA-256 of these bytes alone. */
      readonly alone: boolean;
    }
  | { readonly what: "digest" | "drop"; readonly hash: number };

/** The answers of the thread: it has read a slot, or it has a digest in hexadecimal. A drop has no answer. */
export type HashReply =
  | { readonly slot: number; readonly alone: string }
  | { readonly hash: number; readonly digest: string };

/** The memory that both threads see, in slots of one size. */
export type HashMemory = { readonly slots: SharedArrayBuffer; readonly slotBytes: number };

// This file is the entry of a thread.
const { slots, slotBytes } = workerData as HashMemory;
const hashes = new Map<number, Hash>();
const answer = (reply: HashReply) => parentPort?.postMessage(reply);

parentPort?.on("message", (task: HashTask) => {
  if (task.what === "update") {
    const hash = hashes.get(task.hash) ?? createHash("sha256");
    const bytes = new Uint8Array(slots, task.slot * slotBytes, task.bytes);
    hashes.set(task.hash, hash.update(bytes));
    answer({ slot: task.slot, alone: task.alone ? createHash("sha256").update(bytes).digest("hex") : "" });
    return;
  }
  const hash = hashes.get(task.hash) ?? createHash("sha256");
  hashes.delete(task.hash);
  if (task.what === "digest") answer({ hash: task.hash, digest: hash.digest("hex") });
});
