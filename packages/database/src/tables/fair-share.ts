import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { ofAccount } from "./accounts.ts";
import { moment } from "./column-types.ts";
import { jobs } from "./jobs.ts";

/**
 * The open jobs. A trigger on `jobs` updates these rows, in the transaction that changes a job, in any process.
 */
export const queueJobs = pgTable(
  "queue_jobs",
  {
    jobId: uuid("job_id")
      .primaryKey()
      .references(() => jobs.id, { onDelete: "cascade" }),
    accountId: uuid("account_id").notNull(),
    createdAt: moment("created_at").notNull(),
    /** The ticket of the queue under which the job runs, or the claim that fetches its video; null while it waits. */
    ticket: uuid("ticket"),
    /** Whether its video has to be fetched from a URL first. */
    fetches: boolean("fetches").notNull().default(false),
    /** The worker that fetches its video. */
    worker: uuid("worker"),
    /** When a worker first began to fetch its video. */
    fetchStartedAt: moment("fetch_started_at"),
    /** The network of the URL's server, once a worker has connected to it. */
    origin: text("origin"),
    /** The network of the request, while the video is not fetched. */
    caller: text("caller"),
  },
  (table) => [
    index("queue_jobs_waiting")
      .on(table.fetches, table.accountId, table.createdAt, table.jobId)
      .where(sql`ticket is null`),
    uniqueIndex("queue_jobs_ticket").on(table.ticket),
    index("queue_jobs_fetching").on(table.origin, table.caller).where(sql`worker is not null`),
  ],
);

/**
 * How many jobs of each account wait and run: those whose video has to be fetched, and the others. The index is in the
 * order in which accounts start their next job. A trigger on `queue_jobs` updates the counts.
 */
export const queueAccounts = pgTable(
  "queue_accounts",
  {
    accountId: ofAccount(),
    /** Counts the jobs whose video has to be fetched: `running` are being fetched. */
    fetches: boolean("fetches").notNull().default(false),
    waiting: integer("waiting").notNull().default(0),
    running: integer("running").notNull().default(0),
    lastStartedAt: moment("last_started_at"),
    /** A copy of the account's column. */
    pays: boolean("pays").notNull().default(false),
    createdAt: moment("created_at").notNull().defaultNow(),
    // The indexes contain only these columns, so a change of a count that leaves them unchanged updates no index.
    waits: boolean("waits").notNull().generatedAlwaysAs(sql`waiting > 0`),
    isActive: boolean("is_active").notNull().generatedAlwaysAs(sql`waiting > 0 or running > 0`),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.fetches] }),
    index("queue_accounts_order")
      .on(table.fetches, table.running, table.lastStartedAt.asc().nullsFirst(), table.createdAt, table.accountId)
      .where(sql`waits`),
    index("queue_accounts_active").on(table.fetches, table.accountId).where(sql`is_active`),
    index("queue_accounts_paying").on(table.fetches, table.running).where(sql`waits and pays`),
    index("queue_accounts_free").on(table.fetches, table.running).where(sql`running > 0 and not pays`),
  ],
);

/** The live workers and APIs, and how many jobs each runs at once: an API runs none. */
export const workers = pgTable("workers", {
  id: uuid("id").primaryKey(),
  places: integer("places").notNull(),
  seenAt: moment("seen_at").notNull().defaultNow(),
  app: text("app", { enum: ["worker", "api"] }).notNull(),
});

/** One row for each maintenance task. Any worker runs a task that is due. */
export const maintenance = pgTable("maintenance", {
  name: text("name").primaryKey(),
  /** Raised by every claim, so that a worker whose claim was taken over no longer changes the row. */
  fence: integer("fence").notNull().default(1),
  /** When the task is due. While the task runs, the end of its lease. */
  nextRunAt: moment("next_run_at").notNull(),
});
