import { sql } from "drizzle-orm";
import { check, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytes, moment } from "./column-types.ts";

/** Who pays. The row is also the lock under which an account's jobs and holds are counted. */
export const accounts = pgTable(
  "accounts",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    email: text("email").notNull(),
    /** Jobs this account may have open at once; null means the service's own limit. */
    maxJobs: integer("max_jobs"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("accounts_email").on(sql`lower(${table.email})`),
    check("accounts_max_jobs", sql`${table.maxJobs} >= 0`),
  ],
);

/** E-mail addresses (SHA-256) that had the one-time grant. No account is named: the row outlives it. */
export const freeGrants = pgTable("free_grants", {
  emailSha256: bytes("email_sha256").primaryKey(),
  createdAt: moment("created_at").notNull().defaultNow(),
});
