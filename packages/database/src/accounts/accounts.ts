import { isUuid, type KeyScope } from "@video-to-json/contract";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db, Tx } from "../connection/open-database.ts";
import { runStatement } from "../connection/statements.ts";
import { accounts, apiKeys, minuteMails, refusedRequests, savedSchemas } from "../tables/accounts.ts";
import { jobs } from "../tables/jobs.ts";
import { dashboardUsers } from "../tables/sign-in.ts";

/** An account. */
export type Account = {
  id: string;
  email: string;
  /** Null means the default limit, MAX_JOBS_PER_ACCOUNT. */
  maxJobs: number | null;
  /** How long the contents of its finished jobs are kept, in days; null means for ever. */
  retentionDays: number | null;
};

/** The columns of an Account. */
const accountColumns = {
  id: accounts.id,
  email: accounts.email,
  maxJobs: accounts.maxJobs,
  retentionDays: accounts.retentionDays,
};

/** Returns an e-mail address as it is stored and compared: trimmed, in lower case. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** An account as a caller without a key: a person who is signed in to the dashboard. */
export type AccountCaller = {
  accountId: string;
  email: string;
  keyId: null;
  scope: Extract<KeyScope, "extract">;
  /** Null means the default limit, MAX_JOBS_PER_ACCOUNT. */
  maxJobs: number | null;
  /** The newest checkpoint of the account's ledger. */
  checkpoint: { ledgerId: number; seconds: number };
  /** How long the contents of its finished jobs are kept, in days; null means for ever. */
  retentionDays: number | null;
  createdAt: Date;
};

type Row = {
  account_id: string;
  email: string;
  max_jobs: number | null;
  ledger_id: string | null;
  seconds: string | null;
  retention_days: number | null;
  created_ms: string;
};

const text = `select id as account_id, email, max_jobs, retention_days, extract(epoch from accounts.created_at) * 1000 as created_ms, ledger_id, seconds
from accounts left join lateral (select ledger_id, seconds from ledger_checkpoints where account_id = accounts.id
order by ledger_id desc limit 1) newest on true
where id = $1 and deleted_at is null`;

/** Returns an account as a caller; undefined for an unknown or deleted one. */
export async function findAccountCaller(db: Db, accountId: string): Promise<AccountCaller | undefined> {
  const [row] = await runStatement<Row>(db, text, [accountId]);
  if (!row) return undefined;
  return {
    accountId: row.account_id,
    email: row.email,
    keyId: null,
    scope: "extract",
    maxJobs: row.max_jobs,
    checkpoint: { ledgerId: Number(row.ledger_id), seconds: Number(row.seconds) },
    retentionDays: row.retention_days,
    createdAt: new Date(Number(row.created_ms)),
  };
}

/** Returns the account with this id; undefined for a deleted account and for any other text. */
export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  if (!isUuid(id)) return undefined;
  const [account] = await db
    .select(accountColumns)
    .from(accounts)
    .where(and(eq(accounts.id, id), isNull(accounts.deletedAt)));
  return account;
}

/** Returns the account of an e-mail address, in upper or lower case. */
export async function findAccountByEmail(db: Db, email: string): Promise<Account | undefined> {
  const [account] = await db
    .select(accountColumns)
    .from(accounts)
    .where(eq(sql`lower(${accounts.email})`, sql`lower(${normaliseEmail(email)})`));
  return account;
}

/** Returns whether any account exists or existed, deleted ones included. */
export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.select({ id: accounts.id }).from(accounts).limit(1)).length > 0;
}

/** Inserts an account without minutes. Returns undefined if the e-mail address has an account. */
export async function insertAccount(db: Db, { email }: { email: string }): Promise<Account | undefined> {
  const [account] = await db
    .insert(accounts)
    .values({ email: normaliseEmail(email) })
    .onConflictDoNothing()
    .returning(accountColumns);
  return account;
}

/**
 * Locks the account's row until the transaction ends, so that admissions, holds and settlements of one account run one
 * after the other. Every transaction locks in the order account, job, hold, so there are no deadlocks.
 */
export async function lockAccount(tx: Tx, id: string): Promise<Account | undefined> {
  // "no key" allows inserts of rows that reference the account, such as keys and jobs.
  const [account] = await runStatement<Account>(tx, lockText, [id], { withBegin: true });
  return account;
}

const lockText = `select id, email, max_jobs as "maxJobs", retention_days as "retentionDays"
from accounts where id = $1 for no key update`;

/** Locks the row of a job's account, like `lockAccount`. */
export async function lockAccountOfJob(tx: Tx, jobId: string): Promise<Account | undefined> {
  const owner = tx.select({ id: jobs.accountId }).from(jobs).where(eq(jobs.id, jobId));
  const [account] = await tx.select(accountColumns).from(accounts).where(eq(accounts.id, owner)).for("no key update");
  return account;
}

/**
 * Marks an account as deleted, forgets its address, its saved schemas, its refused requests and the names of its keys, revokes its keys, and
 * ends its sessions.
 * Afterwards no query finds the account, and its address is free for a new one. Returns whether the account existed.
 */
export async function markAccountDeleted(tx: Tx, id: string): Promise<boolean> {
  const marked = await tx
    .update(accounts)
    // Not an address, because it has no @.
    .set({ deletedAt: sql`now()`, email: sql`'deleted:' || id` })
    .where(and(eq(accounts.id, id), isNull(accounts.deletedAt)))
    .returning({ id: accounts.id });
  await tx
    .update(apiKeys)
    .set({ name: "", revokedAt: sql`coalesce(revoked_at, now())` })
    .where(eq(apiKeys.accountId, id));
  await tx.delete(minuteMails).where(eq(minuteMails.accountId, id));
  await tx.delete(refusedRequests).where(eq(refusedRequests.accountId, id));
  await tx.delete(savedSchemas).where(eq(savedSchemas.accountId, id));
  await tx.delete(dashboardUsers).where(eq(dashboardUsers.accountId, id));
  return marked.length > 0;
}

/** The limits of one account; null means the default of the service. */
export type AccountLimits = {
  maxJobs: number | null;
  maxFailedExtractions: number | null;
  maxFailedPercent: number | null;
};

/** Sets the given limits of an account. Returns all of them. Throws if the account does not exist. */
export async function setAccountLimits(db: Db, id: string, limits: Partial<AccountLimits>): Promise<AccountLimits> {
  // A statement without columns would be invalid.
  const [account] = await db
    .update(accounts)
    .set({ maxJobs: sql`${accounts.maxJobs}`, ...limits })
    .where(eq(accounts.id, id))
    .returning({
      maxJobs: accounts.maxJobs,
      maxFailedExtractions: accounts.maxFailedExtractions,
      maxFailedPercent: accounts.maxFailedPercent,
    });
  if (!account) throw new Error(`there is no account ${id}`);
  return account;
}

/** The days that an account may choose; null keeps the contents for ever (docs/decisions/0001, "Dashboard and accounts"). */
export const retentionChoices = [null, 30, 7, 1] as const;

export type RetentionDays = (typeof retentionChoices)[number];

/** Sets how long the contents of an account's finished jobs are kept, in days. Throws if the account does not exist. */
export async function setRetention(db: Db, id: string, retentionDays: RetentionDays): Promise<void> {
  const [account] = await db.update(accounts).set({ retentionDays }).where(eq(accounts.id, id)).returning();
  if (!account) throw new Error(`there is no account ${id}`);
}
