/** The tokens and requests of questions to the provider, as it counts them. */
export type Spent = { requests: number; inTokens: number; outTokens: number };

/** The limits of a run's spending. Undefined means unlimited. */
export type Budget = {
  requests: number | undefined;
  tokens: number | undefined;
  dollars: number | undefined;
};

/** Dollars for a million tokens of a question and of an answer. */
export type Prices = { inDollars: number; outDollars: number };

/** Returns zero spending. */
export function nothingSpent(): Spent {
  return { requests: 0, inTokens: 0, outTokens: 0 };
}

/** Returns the sum of spendings. */
export function sumSpent(all: readonly Spent[]): Spent {
  const sum = nothingSpent();
  for (const { requests, inTokens, outTokens } of all) {
    sum.requests += requests;
    sum.inTokens += inTokens;
    sum.outTokens += outTokens;
  }
  return sum;
}

/** Returns dollars, or undefined without prices. */
export function dollarsOf({ inTokens, outTokens }: Spent, prices: Prices | undefined): number | undefined {
  return prices && (inTokens * prices.inDollars + outTokens * prices.outDollars) / 1e6;
}

/** Returns whether spending stays within a budget. */
function isWithin(budget: Budget, spent: Spent, prices: Prices | undefined): boolean {
  const dollars = dollarsOf(spent, prices) ?? 0;
  return (
    spent.requests <= (budget.requests ?? Number.POSITIVE_INFINITY) &&
    spent.inTokens + spent.outTokens <= (budget.tokens ?? Number.POSITIVE_INFINITY) &&
    dollars <= (budget.dollars ?? Number.POSITIVE_INFINITY)
  );
}

type PurseOptions = {
  budget: Budget;
  prices: Prices | undefined;
  /** The spending of earlier runs with the same results file. */
  before: Spent;
  /** Called before a question is sent, with its highest price, and again when the actual price is known. */
  onReserve(id: number, most: Spent): void;
  onSettle(id: number, actual: Spent): void;
};

/** Creates the purse of a run. It keeps the spending within the budget. */
export function createPurse({ budget, prices, before, onReserve, onSettle }: PurseOptions) {
  const open = new Map<number, Spent>();
  let settled = sumSpent([nothingSpent(), before]);
  let empty = false;
  let last = 0;
  return {
    spent: () => settled,
    /** Whether a question was refused. */
    isEmpty: () => empty,
    /**
     * Reserves the highest price of a question, until the actual price is known. Returns undefined if the budget does
     * not allow it, and from then on always.
     */
    reserve(most: Spent) {
      empty ||= !isWithin(budget, sumSpent([settled, ...open.values(), most]), prices);
      if (empty) return undefined;
      const id = ++last;
      open.set(id, most);
      onReserve(id, most);
      return {
        settle(actual: Spent) {
          if (!open.delete(id)) return;
          settled = sumSpent([settled, actual]);
          onSettle(id, actual);
        },
      };
    },
  };
}

export type Purse = ReturnType<typeof createPurse>;
