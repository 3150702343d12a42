import { StorageUnavailable } from "../storage-errors.ts";

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
  /** Whether so many turns are taken that an upload should have one part in memory instead of two. */
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
