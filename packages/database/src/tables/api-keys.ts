import { keyScopes } from "@video-to-json/contract";
import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { accounts } from "./accounts.ts";
import { bytes, moment } from "./column-types.ts";

/** The SHA-256 of each key and the first characters to display. The key itself is not stored. */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    sha256: bytes("sha256").notNull(),
    display: text("display").notNull(),
    /** `extract` includes reading. */
    scope: text("scope", { enum: keyScopes }).notNull().default("extract"),
    /** How many minutes its jobs may cost in a calendar month (UTC); null means no limit but the account's minutes. */
    monthlyMinutes: integer("monthly_minutes"),
    /** The key is refused from then on; null means never. */
    endsAt: moment("ends_at"),
    createdAt: moment("created_at").notNull().defaultNow(),
    revokedAt: moment("revoked_at"),
    /** Accurate to one minute. */
    lastUsedAt: moment("last_used_at"),
  },
  (table) => [
    uniqueIndex("api_keys_sha256").on(table.sha256),
    index("api_keys_account").on(table.accountId),
    check("api_keys_scope", sql`scope in ('extract', 'read')`),
    check("api_keys_monthly_minutes", sql`${table.monthlyMinutes} > 0`),
    check("api_keys_sha256_length", sql`octet_length(${table.sha256}) = 32`),
  ],
);
