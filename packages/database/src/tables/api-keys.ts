import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
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
    createdAt: moment("created_at").notNull().defaultNow(),
    revokedAt: moment("revoked_at"),
    /** Accurate to one minute. */
    lastUsedAt: moment("last_used_at"),
  },
  (table) => [
    uniqueIndex("api_keys_sha256").on(table.sha256),
    index("api_keys_account").on(table.accountId),
    check("api_keys_sha256_length", sql`octet_length(${table.sha256}) = 32`),
  ],
);
