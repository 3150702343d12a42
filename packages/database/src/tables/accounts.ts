import { keyScopes } from "@video-to-json/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { bytes, callerText, moment } from "./column-types.ts";

/** The row is also the lock for counting an account's open jobs and holds. */
export const accounts = pgTable(
  "accounts",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    email: text("email").notNull(),
    /** How many jobs the account may have open at once; null means the default limit. */
    maxJobs: integer("max_jobs"),
    /**
     * How many failed extractions an hour are always allowed, and which percentage of jobs; null means the defaults.
     */
    maxFailedExtractions: integer("max_failed_extractions"),
    maxFailedPercent: integer("max_failed_percent"),
    /** How long the contents of a finished job are kept, in days; null means for ever. */
    retentionDays: integer("retention_days"),
    /** Whether its owner gets mails about minutes that are nearly or completely used. */
    minuteMails: boolean("minute_mails").notNull().default(true),
    /** Whether it has a grant other than the free one. A trigger on `ledger` sets it. */
    pays: boolean("pays").notNull().default(false),
    /** The tokens of the provider that its jobs have cost, charged or not. */
    tokens: bigint("tokens", { mode: "number" }).notNull().default(0),
    /** How long its jobs have had a place of the processor, charged or not, in milliseconds. */
    processorMs: bigint("processor_ms", { mode: "number" }).notNull().default(0),
    /** What these tokens cost, in millionths of a US dollar, by the prices of the provider. */
    microdollars: bigint("microdollars", { mode: "number" }).notNull().default(0),
    createdAt: moment("created_at").notNull().defaultNow(),
    /** When its owner deleted it. The row stays for the ledger; its `email` is a text that is not an address. */
    deletedAt: moment("deleted_at"),
  },
  (table) => [
    uniqueIndex("accounts_email").on(sql`lower(${table.email})`),
    index("accounts_to_erase").on(table.id).where(sql`retention_days is not null or deleted_at is not null`),
    check("accounts_max_jobs", sql`${table.maxJobs} >= 0`),
    check("accounts_retention", sql`${table.retentionDays} > 0`),
  ],
);

/** The column of a row that goes with its account. */
export const ofAccount = () =>
  uuid("account_id")
    .notNull()
    .references(() => accounts.id, { onDelete: "cascade" });

/**
 * The SHA-256 of each e-mail address that got the free grant, and of its mailbox if its owner signed up by itself. A row
 * outlives its account, so it does not name an account.
 */
export const freeGrants = pgTable("free_grants", {
  emailSha256: bytes("email_sha256").primaryKey(),
  createdAt: moment("created_at").notNull().defaultNow(),
});

/** What a key may need its API to understand (docs/decisions/0001, "Health decides who works"). */
export const keyNeeds = ["scope", "monthly_limit", "end", "shared_limit"] as const;
export type KeyNeed = (typeof keyNeeds)[number];

/** The SHA-256 of each key and the first characters to display. The key itself is not stored. */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    accountId: ofAccount(),
    name: text("name").notNull(),
    sha256: bytes("sha256").notNull(),
    display: text("display").notNull(),
    /** `extract` includes reading. */
    scope: text("scope", { enum: keyScopes }).notNull().default("extract"),
    /** How many minutes its jobs may cost in a calendar month (UTC); null means no limit but the account's minutes. */
    monthlyMinutes: integer("monthly_minutes"),
    /** The key is refused from then on; null means never. */
    endsAt: moment("ends_at"),
    /** What its API must understand. For an API of an older release, the key does not exist. */
    needs: text("needs").array().notNull().default([]),
    /** The key that it replaces after a rotation; null for a key that was made anew. */
    replacesId: uuid("replaces_id"),
    /** The first key of its rotations, whose keys have one count of a month; null: the key itself. */
    lineId: uuid("line_id"),
    createdAt: moment("created_at").notNull().defaultNow(),
    revokedAt: moment("revoked_at"),
    /** Accurate to one minute. */
    lastUsedAt: moment("last_used_at"),
  },
  (table) => [
    uniqueIndex("api_keys_sha256").on(table.sha256),
    index("api_keys_account").on(table.accountId),
    uniqueIndex("api_keys_replaced").on(table.replacesId).where(sql`revoked_at is null`),
    check("api_keys_scope", sql`scope in ('extract', 'read')`),
    check("api_keys_monthly_minutes", sql`${table.monthlyMinutes} > 0`),
    check("api_keys_sha256_length", sql`octet_length(${table.sha256}) = 32`),
  ],
);

/** The versions of the schemas that an account saved by name. */
export const savedSchemas = pgTable(
  "saved_schemas",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    accountId: ofAccount(),
    name: text("name").notNull(),
    version: integer("version").notNull(),
    /** As its author wrote it; it may be incomplete. */
    schemaText: callerText("schema").notNull(),
    instructions: callerText("instructions"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("saved_schemas_version").on(table.accountId, table.name, table.version),
    check("saved_schemas_version_positive", sql`${table.version} > 0`),
  ],
);

/**
 * The mails about used minutes, each recorded before it is sent, so that none is sent twice. `ownerId` is the account or
 * the first key of a line, `period` the granted seconds of the account or the month of the key (`YYYY-MM`, UTC).
 */
export const minuteMails = pgTable(
  "minute_mails",
  {
    accountId: ofAccount(),
    ownerId: uuid("owner_id").notNull(),
    period: text("period").notNull(),
    /** The part of the minutes that is used, in percent. */
    threshold: integer("threshold").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.ownerId, table.period, table.threshold] })],
);

/**
 * The requests that were refused before a job existed, without any contents: how many came with one key, at one route, with
 * one code in one minute. `requestId` and `lastAt` are those of the last one. Rows are kept for seven days.
 */
export const refusedRequests = pgTable(
  "refused_requests",
  {
    accountId: ofAccount(),
    /** The key, or `noKey` for the dashboard. */
    keyId: uuid("key_id").notNull(),
    code: text("code").notNull(),
    /** The method and the template of the path, such as `POST /v1/extract`. */
    route: text("route").notNull(),
    minute: moment("minute").notNull(),
    count: integer("count").notNull(),
    requestId: text("request_id").notNull(),
    lastAt: moment("last_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.minute, table.keyId, table.code, table.route] }),
    index("refused_requests_age").on(table.lastAt),
    check("refused_requests_count", sql`${table.count} > 0`),
  ],
);
