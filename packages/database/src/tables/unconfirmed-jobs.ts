import { pgTable, uuid } from "drizzle-orm/pg-core";
import { moment } from "./column-types.ts";
import { jobs } from "./jobs.ts";

/**
 * Jobs whose API does not know yet that their admission has committed, and whose caller has no idempotency key to find
 * them by. No seconds are held for such a job.
 */
export const unconfirmedJobs = pgTable("unconfirmed_jobs", {
  jobId: uuid("job_id")
    .primaryKey()
    .references(() => jobs.id, { onDelete: "cascade" }),
  createdAt: moment("created_at").notNull().defaultNow(),
});
