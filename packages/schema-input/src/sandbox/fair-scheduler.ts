/** Places for the work of many accounts, given so that nobody's slow work holds up the others. */
export type Turns = {
  /**
   * Waits for a place; disposing gives it back. Without an account the work stands for itself. Throws the signal's reason
   * when that aborts.
   */
  take(account: string | undefined, signal?: AbortSignal): Promise<Place>;
};

/** A place held. `charge` counts so many milliseconds of work against the account. */
export type Place = Disposable & { charge(ms: number): void };

/** An account with more work than this of late is a heavy one. */
const heavyMs = 1000;
/** Work counts half after so long. */
const halfLifeMs = 30_000;
const maxAccounts = 10_000;

type Use = { held: number; workMs: number; at: number };
type Waiter = { use: Use; start(): void };

/**
 * Opens `count` places. No account has all of them, and the last free one is no heavy account's, so that quick work finds
 * one whatever else is sent. Of those who wait, the account with the least work of late goes first. The time limit of a
 * task must not run while it waits, which is why waiting is not left to the pool.
 */
export function openFairScheduler(count: number, now: () => number = () => performance.now()): Turns {
  const uses = new Map<string, Use>();
  const waiting = new Set<Waiter>();
  const maxHeld = Math.max(1, count - 1);
  let free = count;

  return {
    take: (account, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const use = useOf(account);
        const leave = () => {
          waiting.delete(waiter);
          reject(signal?.reason);
        };
        const waiter = {
          use,
          start: () => {
            signal?.removeEventListener("abort", leave);
            resolve(placeOf(use));
          },
        };
        waiting.add(waiter);
        signal?.addEventListener("abort", leave, { once: true });
        serve();
      }),
  };

  function serve(): void {
    for (let next = first(); next; next = first()) {
      waiting.delete(next);
      next.use.held++;
      free--;
      next.start();
    }
  }

  function first(): Waiter | undefined {
    let least: Waiter | undefined;
    for (const waiter of waiting) {
      if (mayStart(waiter.use) && (!least || workOf(waiter.use) < workOf(least.use))) least = waiter;
    }
    return least;
  }

  function mayStart(use: Use): boolean {
    return free > 0 && use.held < maxHeld && (free > 1 || count === 1 || workOf(use) <= heavyMs);
  }

  function placeOf(use: Use): Place {
    return {
      charge(ms) {
        use.workMs = workOf(use) + ms;
        use.at = now();
      },
      [Symbol.dispose]() {
        use.held--;
        free++;
        serve();
      },
    };
  }

  function workOf({ workMs, at }: Use): number {
    return workMs === 0 ? 0 : workMs * 0.5 ** ((now() - at) / halfLifeMs);
  }

  function useOf(account: string | undefined): Use {
    const known = account === undefined ? undefined : uses.get(account);
    if (known) return known;
    const use = { held: 0, workMs: 0, at: now() };
    if (account === undefined) return use;
    if (uses.size >= maxAccounts) forget();
    uses.set(account, use);
    return use;
  }

  /** Forgets the accounts whose work hardly counts any more. */
  function forget(): void {
    const asked = new Set([...waiting].map(({ use }) => use));
    for (const [account, use] of uses) {
      if (use.held === 0 && !asked.has(use) && workOf(use) < heavyMs / 10) uses.delete(account);
    }
  }
}
