import { type Budget, isWithin, nothingSpent, type Prices, type Spent, sumSpent } from "./spending.ts";

/** A question that is sent or was sent: its highest possible price, until the actual price is known. */
type Reservation = { settle(actual: Spent): void };

/** Keeps the spending of a run within its budget. */
export type Purse = {
  /**
   * Reserves the highest price of a question. Returns undefined if the budget does not allow it, and from then on
   * always.
   */
  reserve(most: Spent): Reservation | undefined;
  spent(): Spent;
  /** Whether a question was refused. */
  isEmpty(): boolean;
};

type PurseOptions = {
  budget: Budget;
  prices: Prices | undefined;
  /** The spending of earlier runs with the same results file. */
  before: Spent;
  /** Called before a question is sent, with its highest price, and again when the actual price is known. */
  onReserve(id: number, most: Spent): void;
  onSettle(id: number, actual: Spent): void;
};

/** Creates the purse of a run. */
export function createPurse({ budget, prices, before, onReserve, onSettle }: PurseOptions): Purse {
  const open = new Map<number, Spent>();
  let settled = sumSpent([nothingSpent(), before]);
  let empty = false;
  let last = 0;
  return {
    spent: () => settled,
    isEmpty: () => empty,
    reserve(most) {
      empty ||= !isWithin(budget, sumSpent([settled, ...open.values(), most]), prices);
      if (empty) return undefined;
      const id = ++last;
      open.set(id, most);
      onReserve(id, most);
      return {
        settle(actual) {
          if (!open.delete(id)) return;
          settled = sumSpent([settled, actual]);
          onSettle(id, actual);
        },
      };
    },
  };
}
