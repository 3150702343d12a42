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
