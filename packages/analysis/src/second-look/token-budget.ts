/** The tokens that the second look of a job may use. */
export type TokenBudget = {
  /** Takes tokens before a question. If they are not available, takes nothing and returns false. */
  reserve(tokens: number): boolean;
  /** Replaces the reserved tokens of a question by the used ones. */
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
