import type { Readable } from "node:stream";
import type { Hasher, Slot } from "../copy/hashing/running-hash.ts";
import { readSource } from "../copy/read-source.ts";
import type { PutOptions } from "../storage.ts";
import type { Bucket } from "./open-bucket.ts";
import type { PartTurns } from "./part-turns.ts";
import { createPartUpload } from "./part-upload.ts";

type Deps = {
  readonly bucket: Bucket;
  /** The slots are the parts. There are as many slots as turns. */
  readonly hasher: Hasher;
  readonly turns: PartTurns;
};

/**
 * Streams bytes into an object, part by part; see `Storage.put`. One part is sent while the next one fills, unless
 * there are many uploads. An object of one part is sent as a whole. When the function rejects, no request for the
 * object is running any more.
 */
export async function putObject(
  { bucket, hasher, turns }: Deps,
  key: string,
  source: AsyncIterable<Uint8Array> | Readable,
  { maxBytes, signal, onCopied }: PutOptions,
): Promise<{ bytes: number; sha256: string }> {
  const failure = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  const upload = createPartUpload(bucket, key, stop);
  using hash = hasher.begin();
  using holder = turns.begin((reason) => failure.abort(reason));
  let filling: { slot: Slot; bytes: number } | undefined;
  let sending: Promise<void> | undefined;
  let bytes = 0;

  const begin = async () => {
    if (turns.areScarce()) await sending;
    await unlessAborted(stop, holder.take());
    return { slot: await hash.takeSlot(), bytes: 0 };
  };
  const giveBack = (slot: Slot) => {
    hash.giveBack(slot);
    holder.giveBack();
  };
  const send = async ({ slot, bytes }: { slot: Slot; bytes: number }, what: "part" | "whole") => {
    try {
      const sha256 = await hash.updateAndDigest(slot, bytes);
      await upload[what](slot.memory.subarray(0, bytes), sha256);
    } finally {
      giveBack(slot);
    }
  };
  const sendWhileNextFills = async (part: { slot: Slot; bytes: number }) => {
    await sending;
    sending = send(part, "part");
    sending.catch((error) => failure.abort(error));
  };

  try {
    for await (const chunk of readSource(source, { maxBytes, signal: stop })) {
      for (let at = 0; at < chunk.byteLength; ) {
        if (filling && filling.bytes === filling.slot.memory.byteLength) {
          const full = filling;
          filling = undefined;
          await sendWhileNextFills(full);
        }
        filling ??= await begin();
        const { slot } = filling;
        const piece = chunk.subarray(at, at + slot.memory.byteLength - filling.bytes);
        slot.memory.set(piece, filling.bytes);
        filling.bytes += piece.byteLength;
        at += piece.byteLength;
      }
      bytes += chunk.byteLength;
      onCopied?.(chunk);
    }
    const last = filling ?? (await begin());
    filling = undefined;
    const isWhole = sending === undefined;
    await sending;
    await send(last, isWhole ? "whole" : "part");
    if (!isWhole) await upload.complete();
    return { bytes, sha256: await hash.digest() };
  } catch (error) {
    // A part that is still being sent may arrive after an abort, and remain.
    await sending?.catch(() => undefined);
    await upload.abort();
    throw error;
  } finally {
    if (filling) giveBack(filling.slot);
  }
}

async function unlessAborted(signal: AbortSignal, wait: Promise<void>): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    await Promise.race([wait, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    wait.catch(() => undefined);
  }
}
