import { overdueProblem } from "@video-to-json/contract";
import { type Db, findOverdueJobs } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/ledger";
import type { Logger } from "@video-to-json/telemetry";

type Deps = { readonly db: Db; readonly log: Pick<Logger, "warn"> };

/**
 * Ends the jobs whose deadline has passed and that nobody waits for, releasing what they hold. One that cannot be ended,
 * as its account is locked, holds up no others. Gives how many ended.
 */
export async function endOverdueJobs({ db, log }: Deps): Promise<number> {
  let ended = 0;
  for (const { id, startedAt } of await findOverdueJobs(db, { limit: 100 })) {
    try {
      if (await failAndRelease(db, { jobId: id, error: overdueProblem(startedAt !== null).toInside() })) ended++;
    } catch (error) {
      log.warn({ err: error, jobId: id }, "an overdue job was not ended; it is tried again");
    }
  }
  return ended;
}
