/** Shares a number of slots among accounts, so that the slow work of one account does not delay the others. */
export type FairScheduler = {
  /**
   * Waits for a free slot. Disposing the slot frees it. Work without an account counts as an account of its own.
   * Throws the signal's reason when the signal aborts.
   */
  acquire(account: string | undefined, signal?: AbortSignal): Promise<Slot>;
};

/** A slot in use. `charge` adds milliseconds of work to the account's recent work. */
export type Slot = Disposable & { charge(ms: number): void };

/** An account with more recent work than this is heavy. */
const heavyMs = 1000;
/** After this time, work counts half. */
const halfLifeMs = 30_000;
const maxAccounts = 10_000;

type Usage = { slots: number; workMs: number; at: number };
type Waiter = { usage: Usage; start(): void };

/**
 * Opens a scheduler of `count` slots. No account gets all slots, and no heavy account gets the last free slot, so quick
 * work always finds one. Among waiting accounts, the one with the least recent work goes first. The pool has a queue
 * too, but the time limit of a task must not run while the task waits.
 */
export function openFairScheduler(count: number, now: () => number = () => performance.now()): FairScheduler {
  const usages = new Map<string, Usage>();
  const waiting = new Set<Waiter>();
  const maxSlots = Math.max(1, count - 1);
  let free = count;

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
          start: () => {
            signal?.removeEventListener("abort", leave);
            resolve(slotOf(usage));
          },
        };
        waiting.add(waiter);
        signal?.addEventListener("abort", leave, { once: true });
        startWaiting();
      }),
  };

  function startWaiting(): void {
    for (let next = nextWaiter(); next; next = nextWaiter()) {
      waiting.delete(next);
      next.usage.slots++;
      free--;
      next.start();
    }
  }

  function nextWaiter(): Waiter | undefined {
    let least: Waiter | undefined;
    for (const waiter of waiting) {
      if (mayStart(waiter.usage) && (!least || recentWork(waiter.usage) < recentWork(least.usage))) least = waiter;
    }
    return least;
  }

  function mayStart(usage: Usage): boolean {
    return free > 0 && usage.slots < maxSlots && (free > 1 || count === 1 || recentWork(usage) <= heavyMs);
  }

  function slotOf(usage: Usage): Slot {
    return {
      charge(ms) {
        usage.workMs = recentWork(usage) + ms;
        usage.at = now();
      },
      [Symbol.dispose]() {
        usage.slots--;
        free++;
        startWaiting();
      },
    };
  }

  function recentWork({ workMs, at }: Usage): number {
    return workMs === 0 ? 0 : workMs * 0.5 ** ((now() - at) / halfLifeMs);
  }

  function usageOf(account: string | undefined): Usage {
    const known = account === undefined ? undefined : usages.get(account);
    if (known) return known;
    const usage = { slots: 0, workMs: 0, at: now() };
    if (account === undefined) return usage;
    if (usages.size >= maxAccounts) forgetIdleAccounts();
    usages.set(account, usage);
    return usage;
  }

  function forgetIdleAccounts(): void {
    const inQueue = new Set([...waiting].map(({ usage }) => usage));
    for (const [account, usage] of usages) {
      if (usage.slots === 0 && !inQueue.has(usage) && recentWork(usage) < heavyMs / 10) usages.delete(account);
    }
  }
}
