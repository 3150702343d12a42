import { index, pgTable, uuid } from "drizzle-orm/pg-core";
import { moment } from "./column-types.ts";
import { jobs } from "./jobs.ts";

/**
 * The calls that share a job with identical requests. A call that may cancel, and leaves, deletes its row. Repeating
 * either write changes nothing.
 */
export const jobWaiters = pgTable(
  "job_waiters",
  {
    /** The id of the call's request. */
    callId: uuid("call_id").primaryKey(),
    jobId: uuid("job_id")
      .notNull()
      .references(() => jobs.id, { onDelete: "cascade" }),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [index("job_waiters_job").on(table.jobId), index("job_waiters_age").on(table.createdAt)],
);
