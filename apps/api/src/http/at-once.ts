import { Problem } from "@video-to-json/contract";

/** Bounds how many of one thing an account has at once in this process. */
export type AtOnce = {
  /** Begins one, until its disposal. Throws Problem rate_limited if the account has the most already. */
  begin(accountId: string): Disposable;
};

/** Opens a bound. `what` names the things in a message: "downloads of the ledger". */
export function openAtOnce(most: number, what: string): AtOnce {
  const counts = new Map<string, number>();
  return {
    begin(accountId) {
      const count = counts.get(accountId) ?? 0;
      if (count >= most) {
        const reason = `This account has ${most} ${what} open at once, which is the most.`;
        throw new Problem("rate_limited", { reason }, { retryAfterSeconds: 5 });
      }
      counts.set(accountId, count + 1);
      return {
        [Symbol.dispose]() {
          const left = (counts.get(accountId) ?? 1) - 1;
          if (left > 0) counts.set(accountId, left);
          else counts.delete(accountId);
        },
      };
    },
  };
}
