export type AccountTurns = {
  /** Waits for a turn of the account, in the order of arrival. Disposing of the turn ends it. */
  take(accountId: string): Promise<Disposable>;
};

type Waiter = { accountId: string; start(): void };

/**
 * Limits how many admissions of one account, and how many in all, this process runs at once. The others wait here,
 * without a database connection. So an account with a locked row does not take the pool from other accounts, and a
 * burst of many accounts does not take it from reads.
 *
 * @example
 * const turns = createAccountTurns({ ofAccount: 2, inAll: 6 });
 * using _turn = await turns.take(accountId);
 */
export function createAccountTurns({ ofAccount, inAll }: { ofAccount: number; inAll: number }): AccountTurns {
  const running = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let runningInAll = 0;

  return {
    take(accountId) {
      return new Promise((resolve) => {
        waiting.add({ accountId, start: () => resolve(turnOf(accountId)) });
        startWaiting();
      });
    },
  };

  function startWaiting(): void {
    for (const waiter of waiting) {
      if (runningInAll >= inAll) return;
      const ofThis = running.get(waiter.accountId) ?? 0;
      if (ofThis >= ofAccount) continue;
      waiting.delete(waiter);
      running.set(waiter.accountId, ofThis + 1);
      runningInAll++;
      waiter.start();
    }
  }

  function turnOf(accountId: string): Disposable {
    return {
      [Symbol.dispose]() {
        const left = (running.get(accountId) ?? 1) - 1;
        if (left > 0) running.set(accountId, left);
        else running.delete(accountId);
        runningInAll--;
        startWaiting();
      },
    };
  }
}
