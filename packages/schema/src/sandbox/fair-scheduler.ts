/**
 * Shares a number of places among accounts by their processor time, so that slow work of one account does not delay the
 * others.
 */
export type FairScheduler<Place> = {
  /**
   * Waits for a free place. Disposing of the turn frees it. Work without an account counts as a separate account.
   * Throws the signal's reason when the signal aborts.
   */
  acquire(account: string | undefined, signal?: AbortSignal): Promise<Turn<Place>>;
};

/** A place in use. `charge` adds milliseconds of processor time to the account's recent work. */
export type Turn<Place> = Disposable & { readonly place: Place; charge(ms: number): void };

/** An account that has recently computed for longer than this is heavy. */
const heavyMs = 1000;
/** After this time, work counts half. */
const halfLifeMs = 30_000;
const maxAccounts = 10_000;

/**
 * `level` is the binary logarithm of the recent work, plus the number of half-lives since the start. So only new work
 * changes it.
 */
type Usage = { places: number; level: number };
type Waiter = { usage: Usage; start(index: number): void };

/**
 * Opens a scheduler of one or more places. Among waiting accounts, the one with the least recent work goes first. No
 * account gets all places. The first place is for quick work: a heavy account gets it only while the other places are
 * in use by accounts that did at least twice as much.
 */
export function openFairScheduler<Place>(
  places: readonly Place[],
  now: () => number = () => performance.now(),
): FairScheduler<Place> {
  const usages = new Map<string, Usage>();
  const waiting = new Set<Waiter>();
  const holders = places.map((): Usage | undefined => undefined);
  const maxPlaces = Math.max(1, places.length - 1);

  return {
    acquire: (account, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const usage = usageOf(account);
        const leave = () => {
          waiting.delete(waiter);
          reject(signal?.reason);
        };
        const waiter = {
          usage,
          start: (index: number) => {
            signal?.removeEventListener("abort", leave);
            resolve(turnOf(usage, index));
          },
        };
        waiting.add(waiter);
        signal?.addEventListener("abort", leave, { once: true });
        startWaiting();
      }),
  };

  function startWaiting(): void {
    while (holders.includes(undefined)) {
      let next: { waiter: Waiter; index: number } | undefined;
      for (const waiter of waiting) {
        if (next && waiter.usage.level >= next.waiter.usage.level) continue;
        const index = placeFor(waiter.usage);
        if (index !== undefined) next = { waiter, index };
      }
      if (!next) return;
      waiting.delete(next.waiter);
      next.waiter.usage.places++;
      holders[next.index] = next.waiter.usage;
      next.waiter.start(next.index);
    }
  }

  /** Heavy accounts start at the other end, so that the warm thread of the first place stays free for quick work. */
  function placeFor(usage: Usage): number | undefined {
    if (usage.places >= maxPlaces) return undefined;
    if (recentWork(usage) <= heavyMs) return holders.indexOf(undefined);
    const last = holders.lastIndexOf(undefined);
    const isAllowed = last > 0 || holders.every((holder) => !holder || usage.level <= holder.level - 1);
    return isAllowed ? last : undefined;
  }

  function turnOf(usage: Usage, index: number): Turn<Place> {
    return {
      place: places[index] as Place,
      charge(ms) {
        usage.level = Math.log2(recentWork(usage) + ms) + now() / halfLifeMs;
      },
      [Symbol.dispose]() {
        usage.places--;
        holders[index] = undefined;
        startWaiting();
      },
    };
  }

  function recentWork({ level }: Usage): number {
    return 2 ** (level - now() / halfLifeMs);
  }

  function usageOf(account: string | undefined): Usage {
    const known = account === undefined ? undefined : usages.get(account);
    if (known) return known;
    const usage = { places: 0, level: Number.NEGATIVE_INFINITY };
    if (account === undefined) return usage;
    if (usages.size >= maxAccounts) forgetIdleAccounts();
    usages.set(account, usage);
    return usage;
  }

  function forgetIdleAccounts(): void {
    const inQueue = new Set([...waiting].map(({ usage }) => usage));
    for (const [account, usage] of usages) {
      if (usage.places === 0 && !inQueue.has(usage) && recentWork(usage) < heavyMs / 10) usages.delete(account);
    }
  }
}
