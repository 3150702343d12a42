export type AccountTurns = {
  /** Runs `work` as soon as fewer than the allowed number run for the account, first come, first served. */
  take<T>(accountId: string, work: () => Promise<T>): Promise<T>;
};

/**
 * Limits how much work of one account runs at once in this process. Work of an account whose row is locked waits here,
 * without a database connection, and leaves the pool to other accounts.
 */
export function createAccountTurns(maxAtOnce: number): AccountTurns {
  const accounts = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return {
    async take(accountId, work) {
      const turns = accounts.get(accountId) ?? { running: 0, waiting: [] };
      accounts.set(accountId, turns);
      // Work that ends hands its turn to the next, so the number that run stays the same.
      if (turns.running >= maxAtOnce) await new Promise<void>((start) => turns.waiting.push(start));
      else turns.running++;
      try {
        return await work();
      } finally {
        const next = turns.waiting.shift();
        if (next) next();
        else if (--turns.running === 0) accounts.delete(accountId);
      }
    },
  };
}
