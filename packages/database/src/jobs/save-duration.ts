import { and } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { runsUnder, withoutFlush } from "./open-job.ts";

/** Stores the length of the video. Returns false if the job no longer runs under this claim. */
export async function saveDuration(db: Db, job: { id: string; fence: number; durationMs: number }): Promise<boolean> {
  const saved = await db
    .update(jobs)
    .set({ durationMs: Math.round(job.durationMs) })
    .where(and(runsUnder(job), withoutFlush))
    .returning({ id: jobs.id });
  return saved.length > 0;
}
