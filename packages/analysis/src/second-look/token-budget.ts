/** How many tokens the second look of a job may cost. */
export type TokenBudget = {
  /** Takes tokens before a question. Returns false, and takes none, if they are not there. */
  reserve(tokens: number): boolean;
  /** Replaces what was reserved for a question by what it cost. */
  settle(reserved: number, spent: number): void;
  spent(): number;
  left(): number;
};

/** Opens a budget. Reserved tokens count as spent until they are settled. */
export function openTokenBudget(maxTokens: number): TokenBudget {
  let taken = 0;
  return {
    reserve(tokens) {
      if (taken + tokens > maxTokens) return false;
      taken += tokens;
      return true;
    },
    settle(reserved, spent) {
      taken += spent - reserved;
    },
    spent: () => taken,
    left: () => maxTokens - taken,
  };
}
