import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { retry } from "@video-to-json/runtime/timing";
import type { Hasher, Slot } from "../copy/hashing/hasher.ts";
import { readSource } from "../copy/read-source.ts";
import { type PutOptions, StorageUnavailable } from "../storage.ts";
import type { Bucket } from "./bucket.ts";
import { isOverloaded } from "./s3-fault.ts";

/** One upload that holds parts in memory. */
type PartHolder = {
  /**
   * Waits for a turn, which is the right to have one more part in memory. Throws `StorageUnavailable` after a long
   * wait.
   */
  take(): Promise<void>;
  /** Ends one turn. */
  giveBack(): void;
};

/** Limits how many parts all uploads together hold in memory. */
export type PartTurns = {
  /**
   * Begins an upload. `evict` is called when the upload must end, to make way for others. Always dispose of the upload.
   */
  begin(evict: (reason: StorageUnavailable) => void): PartHolder & Disposable;
  /** Whether so many uploads have a turn that each should have one part in memory instead of two. */
  areScarce(): boolean;
};

/** When each part of an upload got its turn, oldest first, and a function that ends the upload. */
type Holder = { since: number[]; evict: (reason: StorageUnavailable) => void };

const defaults = { few: 5, quickMs: 300, patienceMs: 3000, slowMs: 20_000, maxWaitMs: 20_000 };

/**
 * Creates the turns. Uploads get them in the order of their calls. Quick parts share a few turns, because each is free
 * again soon. A part that is older than `quickMs` is not counted among these few, so another upload gets a turn.
 *
 * When an upload has waited for `patienceMs`, the upload that has filled its part for the longest time is ended, if
 * that time exceeds `slowMs`. So slow callers cannot block all others.
 */
export function createPartTurns(max: number, options: Partial<typeof defaults> = {}): PartTurns {
  const { few, quickMs, patienceMs, slowMs, maxWaitMs } = { ...defaults, ...options };
  const holders = new Set<Holder>();
  const waiting: { holder: Holder; turn: PromiseWithResolvers<void> }[] = [];

  const ages = () => {
    const now = performance.now();
    return [...holders].flatMap(({ since }) => since.map((at) => now - at));
  };
  const isFree = () => {
    const all = ages();
    return all.length < max && all.filter((age) => age < quickMs).length < few;
  };
  const grant = () => {
    for (let [first] = waiting; first && isFree(); [first] = waiting) {
      waiting.shift();
      first.holder.since.push(performance.now());
      first.turn.resolve();
    }
  };
  const evictSlowest = () => {
    const begun = [...holders].filter(({ since }) => since.length > 0);
    const [slowest] = begun.sort((a, b) => Number(a.since[0]) - Number(b.since[0]));
    if (slowest && performance.now() - Number(slowest.since[0]) > slowMs) slowest.evict(tooMany());
  };
  const waitForTurn = async (holder: Holder) => {
    const waiter = { holder, turn: Promise.withResolvers<void>() };
    waiting.push(waiter);
    grant();
    const look = setInterval(grant, quickMs / 4);
    const nudge = setInterval(evictSlowest, patienceMs);
    const limit = setTimeout(() => waiter.turn.reject(tooMany()), maxWaitMs);
    try {
      await waiter.turn.promise;
    } finally {
      const index = waiting.indexOf(waiter);
      if (index >= 0) waiting.splice(index, 1);
      clearInterval(look);
      clearInterval(nudge);
      clearTimeout(limit);
    }
  };

  return {
    areScarce: () => ages().filter((age) => age < quickMs).length >= few - 1,
    begin(evict) {
      const holder: Holder = { since: [], evict };
      holders.add(holder);
      return {
        take: () => waitForTurn(holder),
        giveBack() {
          holder.since.shift();
          grant();
        },
        [Symbol.dispose]() {
          // A turn that it still gets does not take one from another upload.
          holders.delete(holder);
          grant();
        },
      };
    },
  };
}

function tooMany(): StorageUnavailable {
  return new StorageUnavailable({ cause: new Error("This process has too many uploads in memory.") });
}

/** The server refused a request of a put, or did not answer. The cause is the SDK's error. */
export class PutRefused extends Error {
  constructor(options: ErrorOptions) {
    super("storage did not take the object", options);
    this.name = "PutRefused";
  }
}

/**
 * Sends one object. Every method throws `PutRefused`, or the reason of the signal. The SHA-256 of the sent bytes is in
 * hexadecimal.
 */
type PartUpload = {
  whole(body: Uint8Array, sha256: string): Promise<void>;
  /** Sends the next part. */
  part(body: Uint8Array, sha256: string): Promise<void>;
  /** Joins the parts. The object appears. */
  complete(): Promise<void>;
  /** Deletes the parts that were sent. No other call may be running. Never throws: a sweep deletes the rest. */
  abort(): Promise<void>;
};

/** Short, because the caller of a failed upload waits for this. */
const abortMs = 5000;

/** Creates the upload of one object. It sends nothing before its first part, and no part after `signal` has aborted. */
function createPartUpload({ client, name, prefix, encryption }: Bucket, key: string, signal: AbortSignal): PartUpload {
  const orRefused = (work: () => Promise<void>) => putOrRefused(work, signal);
  const object = { Bucket: name, Key: `${prefix}${key}` };
  const parts: CompletedPart[] = [];
  let uploadId: string | undefined;
  return {
    whole: (body, sha256) =>
      orRefused(async () => {
        const request = new PutObjectCommand({ ...object, ...encryption, Body: body });
        request.middlewareStack.add(sign(sha256), { step: "build" });
        await client.send(request);
      }),
    part: (body, sha256) =>
      orRefused(async () => {
        uploadId ??= (await client.send(new CreateMultipartUploadCommand({ ...object, ...encryption }))).UploadId;
        const PartNumber = parts.length + 1;
        const request = new UploadPartCommand({ ...object, UploadId: uploadId, PartNumber, Body: body });
        request.middlewareStack.add(sign(sha256), { step: "build" });
        const { ETag } = await client.send(request);
        parts.push({ PartNumber, ETag });
      }),
    async abort() {
      if (uploadId === undefined) return;
      const request = new AbortMultipartUploadCommand({ ...object, UploadId: uploadId });
      await client.send(request, { abortSignal: AbortSignal.timeout(abortMs) }).catch(() => undefined);
    },
    complete: () =>
      orRefused(async () => {
        const MultipartUpload = { Parts: parts };
        await client.send(new CompleteMultipartUploadCommand({ ...object, UploadId: uploadId, MultipartUpload }));
      }),
  };
}

/** The SDK repeats a request within a second. A server that asks for a pause needs longer. */
const pauses = { minDelayMs: 500, maxDelayMs: 4000, jitter: 0.5, maxElapsedMs: 12_000, isTransient: isOverloaded };

async function putOrRefused(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await retry(work, { ...pauses, signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new PutRefused({ cause });
  }
}

type Build<In extends object, Out extends object> = (args: {
  input: In;
  request: unknown;
}) => Promise<{ response: unknown; output: Out }>;

/** Returns a step that signs the known hash of the body. Otherwise the SDK hashes it again, on the event loop. */
function sign(sha256: string) {
  return <In extends object, Out extends object>(next: Build<In, Out>): Build<In, Out> =>
    (args) => {
      (args.request as { headers: Record<string, string> }).headers["x-amz-content-sha256"] = sha256;
      return next(args);
    };
}

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
