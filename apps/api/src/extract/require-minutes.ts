import { type Limits, Problem } from "@video-to-json/contract";
import type { Db } from "@video-to-json/database";
import { available } from "@video-to-json/ledger";

/** Throws out_of_minutes unless the available seconds of the account cover the smallest bill of a job. */
export async function requireMinutes(
  db: Db,
  accountId: string,
  { minimumBilledSeconds }: Pick<Limits, "minimumBilledSeconds">,
): Promise<void> {
  const seconds = await available(db, accountId);
  if (seconds >= minimumBilledSeconds) return;
  throw new Problem("out_of_minutes", { neededSeconds: minimumBilledSeconds, availableSeconds: Math.max(0, seconds) });
}
