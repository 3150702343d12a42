import { sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  check,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { ofAccount } from "./accounts.ts";
import { moment } from "./column-types.ts";
import { jobs } from "./jobs.ts";

/**
 * Grants and debits, in seconds. Rows are only added; a trigger refuses updates and deletes. A row outlives its account
 * and its job, so it has no foreign keys. A trigger locks the account before a row gets its id, so the ids of an
 * account are in the order of its commits: a reader that sees a row sees every row of the account with a lower id.
 */
export const ledger = pgTable(
  "ledger",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    accountId: uuid("account_id").notNull(),
    seconds: integer("seconds").notNull(),
    kind: text("kind", { enum: ["grant", "debit"] }).notNull(),
    jobId: uuid("job_id"),
    reference: text("reference"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    index("ledger_tail").on(table.accountId, table.id, table.seconds),
    index("ledger_grants").on(table.accountId, table.seconds).where(sql`kind = 'grant'`),
    uniqueIndex("ledger_debit_job").on(table.jobId).where(sql`kind = 'debit'`),
    uniqueIndex("ledger_reference").on(table.kind, table.reference),
    check(
      "ledger_entry",
      sql`case kind
        when 'grant' then seconds > 0 and job_id is null and reference is not null
        when 'debit' then seconds < 0 and job_id is not null
        else false end`,
    ),
  ],
);

/**
 * Sums of the ledger: `seconds` is the sum of the account's rows up to `ledgerId`. Rows are derived and may all be
 * deleted; a trigger refuses updates.
 */
export const ledgerCheckpoints = pgTable(
  "ledger_checkpoints",
  {
    accountId: uuid("account_id").notNull(),
    ledgerId: bigint("ledger_id", { mode: "number" }).notNull(),
    seconds: bigint("seconds", { mode: "number" }).notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.ledgerId] })],
);

/**
 * The price of the jobs of each day (UTC, by the time of the debit), by account and key; `key_id` null means jobs
 * without a key. A trigger on the ledger updates these rows, in the transaction that writes the debit. They are derived
 * from the ledger and the jobs. A row outlives its account and its key.
 */
export const dailyUsage = pgTable(
  "daily_usage",
  {
    accountId: uuid("account_id").notNull(),
    keyId: uuid("key_id"),
    day: date("day").notNull(),
    seconds: bigint("seconds", { mode: "number" }).notNull(),
    jobs: integer("jobs").notNull(),
  },
  (table) => [unique("daily_usage_day").on(table.accountId, table.keyId, table.day).nullsNotDistinct()],
);

/** Seconds reserved for a running job. A hold does not change the balance. */
export const holds = pgTable(
  "holds",
  {
    jobId: uuid("job_id")
      .primaryKey()
      .references(() => jobs.id, { onDelete: "cascade" }),
    accountId: ofAccount(),
    seconds: integer("seconds").notNull(),
    state: text("state", { enum: ["held", "captured", "released"] })
      .notNull()
      .default("held"),
    createdAt: moment("created_at").notNull().defaultNow(),
    endedAt: moment("ended_at"),
  },
  (table) => [
    index("holds_open").on(table.accountId, table.seconds).where(sql`state = 'held'`),
    check("holds_seconds", sql`seconds > 0`),
    check("holds_state", sql`state in ('held', 'captured', 'released')`),
    check("holds_ended", sql`(ended_at is null) = (state = 'held')`),
  ],
);
