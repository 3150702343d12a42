import { type Limits, Problem } from "@video-to-json/contract";
import type { Db } from "@video-to-json/database";
import { available } from "@video-to-json/ledger";

/** Returns out_of_minutes unless the available seconds of the account cover the smallest bill of a job. */
export async function refusalForMinutes(
  db: Db,
  accountId: string,
  { minimumBilledSeconds }: Pick<Limits, "minimumBilledSeconds">,
): Promise<Problem | undefined> {
  const seconds = await available(db, accountId);
  if (seconds >= minimumBilledSeconds) return undefined;
  return new Problem("out_of_minutes", { neededSeconds: minimumBilledSeconds, availableSeconds: Math.max(0, seconds) });
}
