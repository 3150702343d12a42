import {
  bigint,
  boolean,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { ofAccount } from "./accounts.ts";
import { bytes, moment } from "./column-types.ts";

// better-auth requires these columns and these names of the properties.

/** A person who signs in to an account. No password is stored. */
export const dashboardUsers = pgTable(
  "dashboard_users",
  {
    id: uuid("id").primaryKey(),
    accountId: ofAccount(),
    email: text("email").notNull(),
    emailVerified: boolean("email_verified").notNull(),
    /** Unused, but required by the library. */
    name: text("name").notNull(),
    image: text("image"),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("dashboard_users_email").on(table.email),
    uniqueIndex("dashboard_users_account").on(table.accountId),
  ],
);

/** The sessions of browsers. A cookie is a token with its signature, so a token alone opens no session. */
export const dashboardSessions = pgTable(
  "dashboard_sessions",
  {
    id: uuid("id").primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => dashboardUsers.id, { onDelete: "cascade" }),
    token: text("token").notNull(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
  },
  (table) => [
    uniqueIndex("dashboard_sessions_token").on(table.token),
    index("dashboard_sessions_user").on(table.userId),
    index("dashboard_sessions_age").on(table.expiresAt),
  ],
);

/** The passkeys of people, each with the public key that its signatures are checked by. */
export const dashboardPasskeys = pgTable(
  "dashboard_passkeys",
  {
    id: uuid("id").primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => dashboardUsers.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    credentialID: text("credential_id").notNull(),
    publicKey: text("public_key").notNull(),
    /** 32 bits without a sign, as of the last sign-in. */
    counter: bigint("counter", { mode: "number" }).notNull(),
    deviceType: text("device_type").notNull(),
    backedUp: boolean("backed_up").notNull(),
    transports: text("transports"),
    aaguid: text("aaguid"),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("dashboard_passkeys_credential").on(table.credentialID),
    index("dashboard_passkeys_user").on(table.userId),
  ],
);

/**
 * The hashes of the codes that were sent, under the hash of their address, with the number of wrong attempts. Also the
 * challenges of passkeys, and what people agreed to for hosts, under the hash of the host's code.
 */
export const dashboardCodes = pgTable(
  "dashboard_codes",
  {
    id: uuid("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [
    index("dashboard_codes_identifier").on(table.identifier),
    index("dashboard_codes_age").on(table.expiresAt),
  ],
);

/**
 * How many free grants of people who signed up by themselves count for a domain, a network or the service, each under its
 * SHA-256, by day (UTC). Rows of earlier days are deleted.
 */
export const freeGrantCounts = pgTable(
  "free_grant_counts",
  {
    day: date("day").notNull(),
    ownerSha256: bytes("owner_sha256").notNull(),
    grants: integer("grants").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.ownerSha256] })],
);

/** Secrets that the service created, shared by all its processes. */
export const serviceSecrets = pgTable("service_secrets", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
  createdAt: moment("created_at").notNull().defaultNow(),
});
