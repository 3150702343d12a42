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
  /**
   * Takes the next item from the line and gives its account a place. Returns undefined if no item waits, or only items of
   * accounts that have `ofAccount` places.
   */
  next(ofAccount?: number): T | undefined;
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

  function first(ofAccount: number): Account<T> | undefined {
    let best: Account<T> | undefined;
    for (const account of accounts.values()) {
      if (account.items.length === 0 || account.places >= ofAccount) continue;
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
    next(ofAccount = Number.POSITIVE_INFINITY) {
      const account = first(ofAccount);
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

/** Places that accounts share in the order of a fair line. */
export type FairPlaces<Account = string> = {
  /** Waits for a place. Disposing of it ends it. Throws the reason of `signal` if it aborts first. */
  take(account: Account, signal?: AbortSignal): Promise<Disposable>;
  /** Waits for a place and runs `work` in it. Throws what `take` throws, or the error of `work`. */
  run<T>(account: Account, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
};

/** Places that two kinds of accounts share in equal parts while both wait: those that pay, and all others together. */
export type KindPlaces = Pick<FairPlaces<{ readonly accountId: string; readonly pays: boolean }>, "run">;

/** Opens `count` places in this process. Within a kind, accounts get them in the order of a fair line. */
export function openKindPlaces(count: number): KindPlaces {
  const kinds = createFairLine<"paying" | "free">();
  const lines = { paying: createFairLine<() => void>(), free: createFairLine<() => void>() };
  const kindOf = ({ pays }: { pays: boolean }) => (pays ? "paying" : "free");
  return openPlaces(count, {
    add(account, start) {
      const kind = kindOf(account);
      lines[kind].add(account.accountId, start);
      kinds.add(kind, kind);
    },
    remove(account, start) {
      const kind = kindOf(account);
      return lines[kind].remove(account.accountId, start) && kinds.remove(kind, kind);
    },
    next() {
      const kind = kinds.next();
      return kind && lines[kind].next();
    },
    end(account) {
      const kind = kindOf(account);
      lines[kind].end(account.accountId);
      kinds.end(kind);
    },
  });
}

/**
 * Opens `count` places in this process.
 *
 * @param ofAccount is how many places one account may have at once; all by default.
 * @example
 * const places = openFairPlaces(6, { ofAccount: 2 });
 * using _place = await places.take(accountId);
 */
export function openFairPlaces(count: number, { ofAccount = count }: { ofAccount?: number } = {}): FairPlaces {
  const line = createFairLine<() => void>();
  return openPlaces(count, { ...line, next: () => line.next(ofAccount) });
}

/** A line of the functions that start the work of those who wait. */
type Line<Account> = {
  add(account: Account, start: () => void): void;
  remove(account: Account, start: () => void): boolean;
  next(): (() => void) | undefined;
  end(account: Account): void;
};

function openPlaces<Account>(count: number, line: Line<Account>): FairPlaces<Account> {
  let free = count;

  function fill(): void {
    while (free > 0) {
      const start = line.next();
      if (!start) return;
      free--;
      start();
    }
  }

  function placeOf(account: Account): Disposable {
    let isOver = false;
    return {
      [Symbol.dispose]() {
        if (isOver) return;
        isOver = true;
        line.end(account);
        free++;
        fill();
      },
    };
  }

  function take(account: Account, signal?: AbortSignal): Promise<Disposable> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = () => {
        if (line.remove(account, start)) reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve(placeOf(account));
      };
      signal?.addEventListener("abort", leave, { once: true });
      line.add(account, start);
      fill();
    });
  }

  return {
    take,
    async run(account, signal, work) {
      using _place = await take(account, signal);
      return await work();
    },
  };
}
