import { overdueProblem } from "@video-to-json/contract";
import { type Db, findOverdueJobs } from "@video-to-json/database";
import { endUncharged } from "@video-to-json/ledger";

type Deps = { readonly db: Db };

/** Ends the jobs whose deadline has passed and that nobody waits for, releasing what they hold. Gives how many. */
export async function endOverdueJobs({ db }: Deps): Promise<number> {
  const overdue = await findOverdueJobs(db, { limit: 100 });
  for (const { id, startedAt } of overdue) {
    await endUncharged(db, { jobId: id, error: overdueProblem(startedAt !== null).toInside() });
  }
  return overdue.length;
}
