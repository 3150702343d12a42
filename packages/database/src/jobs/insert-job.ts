import { sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

type NewJob = {
  id: string;
  accountId: string;
  /** The schema as it was sent, character for character. */
  schemaText: string;
  instructions: string | null;
  /** The URL, or null when the bytes wait in storage (`hasUpload`): one of the two. */
  videoUrl: string | null;
  hasUpload: boolean;
  requestHash: string;
  /** 1 when its caller may take it back. */
  cancellers?: number;
  deadlineSeconds: number;
};

/** Adds a queued job and gives the moment by which it will have ended. */
export async function insertJob(tx: Tx, { deadlineSeconds, ...job }: NewJob): Promise<{ deadlineAt: Date }> {
  const [row] = await tx
    .insert(jobs)
    .values({ ...job, deadlineAt: sql`now() + make_interval(secs => ${deadlineSeconds}::float8)` })
    .returning({ deadlineAt: jobs.deadlineAt });
  if (!row) throw new Error(`job ${job.id} was not stored`);
  return row;
}
