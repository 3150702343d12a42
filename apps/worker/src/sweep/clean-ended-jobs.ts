import { type Db, findJobStates, findJobsToCleanUp, markCleanedUp } from "@video-to-json/database";
import type { Storage } from "@video-to-json/storage";
import type { JobDeps } from "../run-job.ts";

type Deps = {
  readonly db: Db;
  readonly storage: Pick<Storage, "delete">;
  readonly service: Pick<JobDeps["service"], "deleteCopies">;
};

const olderThanMs = 15_000;
const longestMs = 60_000;

/**
 * Deletes what ended jobs left when their worker died before it could: uploads, and copies at the analysis service.
 * Gives how many jobs were cleaned.
 */
export async function cleanEndedJobs({ db, storage, service }: Deps, stop: AbortSignal): Promise<number> {
  const ended = await findJobsToCleanUp(db, { olderThanMs, limit: 100 });
  if (ended.length === 0) return 0;
  for (const { id } of ended) await storage.delete(id);
  await service.deleteCopies((ids) => overAmong(db, ids), withinTime(stop));
  for (const { id } of ended) await markCleanedUp(db, id);
  return ended.length;
}

/** Deletes every copy at the analysis service whose job is over, whatever the job's row says of its cleaning. */
export function deleteLeftCopies({ db, service }: Pick<Deps, "db" | "service">, stop: AbortSignal): Promise<number> {
  return service.deleteCopies((ids) => overAmong(db, ids), withinTime(stop));
}

function withinTime(stop: AbortSignal): AbortSignal {
  return AbortSignal.any([stop, AbortSignal.timeout(longestMs)]);
}

/** Ids that are no job of ours are left alone: the analysis key may be shared with another installation. */
async function overAmong(db: Db, ids: string[]): Promise<ReadonlySet<string>> {
  const known = await findJobStates(db, ids);
  return new Set(known.filter(({ status }) => status === "succeeded" || status === "failed").map(({ id }) => id));
}
