import { pgTable, uuid } from "drizzle-orm/pg-core";
import { moment } from "./column-types.ts";
import { jobs } from "./jobs.ts";

/**
 * Jobs whose API does not know yet that their admission has committed, and whose caller cannot find them by an
 * idempotency key. Such a job gets no hold.
 */
export const unconfirmedJobs = pgTable("unconfirmed_jobs", {
  jobId: uuid("job_id")
    .primaryKey()
    .references(() => jobs.id, { onDelete: "cascade" }),
  createdAt: moment("created_at").notNull().defaultNow(),
});
