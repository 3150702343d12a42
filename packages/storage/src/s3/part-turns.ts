import { StorageUnavailable } from "../storage-errors.ts";

/** One upload that holds parts in memory. */
type PartHolder = {
  /** Waits for a turn: the right to have one more part in memory. Throws `StorageUnavailable` when none becomes free in time. */
  take(): Promise<void>;
  /** Ends one turn. */
  giveBack(): void;
};

/** Bounds how many parts all uploads together have in memory. */
export type PartTurns = {
  /** Begins an upload. `evict` is called when it has to give way, and it has to end then. Dispose of it in any case. */
  begin(evict: (reason: StorageUnavailable) => void): PartHolder & Disposable;
  /** Whether so many turns are taken that an upload should have one part in memory, not two. */
  areScarce(): boolean;
};

type Holder = { parts: number; since: number; evict: (reason: StorageUnavailable) => void };

/**
 * Creates the turns. Uploads get them in the order of their calls. When an upload has waited for
 * `patienceMs`, the one that has filled its part for the longest time gives way, if that is more than `slowMs`. So slow
 * callers cannot keep everybody else out.
 */
export function createPartTurns(
  max: number,
  { plenty = 6, patienceMs = 3000, slowMs = 20_000, maxWaitMs = 20_000 } = {},
): PartTurns {
  const holders = new Set<Holder>();
  const waiting: PromiseWithResolvers<void>[] = [];
  let free = max;

  const evictSlowest = () => {
    const [slowest] = [...holders].filter(({ parts }) => parts > 0).sort((a, b) => a.since - b.since);
    if (slowest && performance.now() - slowest.since > slowMs) slowest.evict(tooMany());
  };
  const giveBack = (holder: Holder, parts: number) => {
    holder.parts -= parts;
    holder.since = performance.now();
    free += parts;
    for (; free > 0 && waiting.length > 0; free--) waiting.shift()?.resolve();
  };
  const waitForTurn = async () => {
    if (free > 0) return void free--;
    const turn = Promise.withResolvers<void>();
    waiting.push(turn);
    const nudge = setInterval(evictSlowest, patienceMs);
    const limit = setTimeout(() => {
      const index = waiting.indexOf(turn);
      if (index < 0) return;
      waiting.splice(index, 1);
      turn.reject(tooMany());
    }, maxWaitMs);
    try {
      await turn.promise;
    } finally {
      clearInterval(nudge);
      clearTimeout(limit);
    }
  };

  return {
    areScarce: () => max - free >= plenty,
    begin(evict) {
      const holder: Holder = { parts: 0, since: 0, evict };
      let ended = false;
      holders.add(holder);
      return {
        async take() {
          await waitForTurn();
          holder.parts++;
          holder.since = performance.now();
          if (ended) giveBack(holder, 1);
        },
        giveBack: () => giveBack(holder, 1),
        [Symbol.dispose]() {
          ended = true;
          holders.delete(holder);
          giveBack(holder, holder.parts);
        },
      };
    },
  };
}

function tooMany(): StorageUnavailable {
  return new StorageUnavailable({ cause: new Error("This process has too many uploads in memory.") });
}
