/** The tokens and requests of questions to the provider, as it counts them. */
export type Spent = { requests: number; inTokens: number; outTokens: number };

/** The limits of a run's spending. Undefined means unlimited. */
export type Budget = { requests: number | undefined; tokens: number | undefined; dollars: number | undefined };

/** Dollars for a million tokens of a question and of an answer. */
export type Prices = { inDollars: number; outDollars: number };

/** Returns the sum of spendings. */
export function sumSpent(all: Iterable<Spent>): Spent {
  const sum = { requests: 0, inTokens: 0, outTokens: 0 };
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
export function isWithin(budget: Budget, spent: Spent, prices: Prices | undefined): boolean {
  const amounts = { ...spent, tokens: spent.inTokens + spent.outTokens, dollars: dollarsOf(spent, prices) ?? 0 };
  const limits = Object.entries(budget) as [keyof Budget, number | undefined][];
  return limits.every(([name, limit]) => limit === undefined || amounts[name] <= limit);
}
