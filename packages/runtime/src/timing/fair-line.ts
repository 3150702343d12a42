/**
 * A line in which many accounts wait for places. The next is from the account with the fewest places; among equals,
 * from the one that got a place longest ago; within an account, the oldest (docs/decisions/0001, "Fair share"). An
 * account that was not in the line before counts as if it got a place when it came.
 */
export type FairLine<T> = {
  /** Adds an item of an account to the line. */
  add(account: string, item: T): void;
  /** Removes an item from the line. Returns false if it is not there. */
  remove(account: string, item: T): boolean;
  /** Takes the next item from the line and gives its account a place. Returns undefined if no item waits. */
  next(): T | undefined;
  /** Ends a place of an account. */
  end(account: string): void;
  /** Returns how many items wait. */
  size(): number;
};

type Account<T> = { places: number; since: number; items: T[] };

/** Creates an empty line. */
export function createFairLine<T>(): FairLine<T> {
  const accounts = new Map<string, Account<T>>();
  let turn = 0;

  function first(): Account<T> | undefined {
    let best: Account<T> | undefined;
    for (const account of accounts.values()) {
      if (account.items.length === 0) continue;
      const places = account.places - (best?.places ?? 0);
      if (!best || places < 0 || (places === 0 && account.since < best.since)) best = account;
    }
    return best;
  }

  function forgetIfGone(id: string, { places, items }: Account<T>): void {
    if (places === 0 && items.length === 0) accounts.delete(id);
  }

  return {
    add(id, item) {
      const account = accounts.get(id) ?? { places: 0, since: ++turn, items: [] };
      account.items.push(item);
      accounts.set(id, account);
    },
    remove(id, item) {
      const account = accounts.get(id);
      const index = account?.items.indexOf(item) ?? -1;
      if (!account || index < 0) return false;
      account.items.splice(index, 1);
      forgetIfGone(id, account);
      return true;
    },
    next() {
      const account = first();
      if (!account) return undefined;
      account.places++;
      account.since = ++turn;
      return account.items.shift();
    },
    end(id) {
      const account = accounts.get(id);
      if (!account) return;
      account.places--;
      forgetIfGone(id, account);
    },
    size: () => [...accounts.values()].reduce((sum, { items }) => sum + items.length, 0),
  };
}
