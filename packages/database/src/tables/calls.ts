import { index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { accounts } from "./accounts.ts";
import { moment } from "./column-types.ts";
import { jobs } from "./jobs.ts";

/** The job and the request of each idempotency key of an account. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    key: text("key").notNull(),
    requestHash: text("request_hash").notNull(),
    jobId: uuid("job_id")
      .notNull()
      .references(() => jobs.id, { onDelete: "cascade" }),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.key] }), index("idempotency_keys_age").on(table.createdAt)],
);

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
