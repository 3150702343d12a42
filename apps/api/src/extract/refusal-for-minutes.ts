import { keyLimitReached, type Limits, Problem } from "@video-to-json/contract";
import type { AccountState } from "@video-to-json/database/money";

/** Returns out_of_minutes unless the account and its key can pay the smallest bill of a job. */
export function refusalForMinutes(
  { availableSeconds, keyLimit }: Pick<AccountState, "availableSeconds" | "keyLimit">,
  { minimumBilledSeconds: neededSeconds }: Pick<Limits, "minimumBilledSeconds">,
): Problem | undefined {
  if (availableSeconds < neededSeconds) {
    return new Problem("out_of_minutes", { neededSeconds, availableSeconds: Math.max(0, availableSeconds) });
  }
  if (keyLimit && keyLimit.usedSeconds + neededSeconds > keyLimit.limitSeconds) {
    return keyLimitReached(keyLimit, neededSeconds);
  }
  return undefined;
}
