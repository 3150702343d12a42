import { sql } from "drizzle-orm";
import { check, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytes, moment } from "./column-types.ts";

/** The row is also the lock under which an account's open jobs and holds are counted. */
export const accounts = pgTable(
  "accounts",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    email: text("email").notNull(),
    /** How many jobs the account may have open at once; null means the default limit. */
    maxJobs: integer("max_jobs"),
    /** How many failed extractions of an hour are always allowed, and which part of its jobs; null means the defaults. */
    maxFailedExtractions: integer("max_failed_extractions"),
    maxFailedPercent: integer("max_failed_percent"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("accounts_email").on(sql`lower(${table.email})`),
    check("accounts_max_jobs", sql`${table.maxJobs} >= 0`),
  ],
);

/** The SHA-256 of each e-mail address that got the free grant. A row outlives its account, so it names none. */
export const freeGrants = pgTable("free_grants", {
  emailSha256: bytes("email_sha256").primaryKey(),
  createdAt: moment("created_at").notNull().defaultNow(),
});
