import type { ErrorInside, KeyScope } from "@video-to-json/contract";
import { and, eq, isNull, sql } from "drizzle-orm";
import { lockAccount } from "../accounts/accounts.ts";
import type { Db, Tx } from "../connection/open-database.ts";
import { runStatement } from "../connection/statements.ts";
import { eraseJob } from "../jobs/erase-jobs.ts";
import { insertKey } from "../keys/keys.ts";
import { accounts, apiKeys, freeGrants } from "../tables/accounts.ts";
import { ledger } from "../tables/money.ts";
import { failAndRelease } from "./cancel.ts";
import { deleteAccount } from "./delete-account.ts";

type NewKey = {
  account_id: string;
  name: string;
  sha256: string;
  display: string;
  scope: KeyScope;
  monthly_minutes: number | null;
  ends_at: string | null;
  line_id: string | null;
  /** The key that it replaces, and when that one ends. */
  replaces_id: string | null;
  replaced_ends_at: string | null;
};

/**
 * A change that must survive the loss of the database: who has an account and a key, what was granted and charged, what
 * was revoked and deleted. `id` names it among those of its kind, `at` is its time (RFC 3339).
 */
export type Change = { id: string; at: string } & (
  | { kind: "account"; email: string }
  | { kind: "free_grant" }
  | ({ kind: "key" } & NewKey)
  | { kind: "grant"; account_id: string; seconds: number; reference: string }
  | { kind: "debit"; account_id: string; seconds: number; job_id: string }
  | { kind: "revocation" }
  | { kind: "account_deletion" }
  | { kind: "job_deletion"; account_id: string }
);

/**
 * The queries of changes, in an order in which each change finds what it needs. $1 is the time from which they are read;
 * $2 is a ledger id, because the ledger has no index of times. A row with an earlier time can become visible later, so
 * each reading goes back a little.
 */
const readings = [
  `select created_at as at, json_build_object('kind', 'account', 'id', id, 'email', email) as change
    from accounts where created_at >= $1::timestamptz and $2::bigint is not null`,
  `select created_at as at, json_build_object('kind', 'free_grant', 'id', encode(email_sha256, 'hex')) as change
    from free_grants where created_at >= $1::timestamptz and $2::bigint is not null`,
  `select key.created_at as at, json_build_object('kind', 'key', 'id', key.id, 'account_id', key.account_id,
      'name', key.name, 'sha256', encode(key.sha256, 'hex'), 'display', key.display, 'scope', key.scope,
      'monthly_minutes', key.monthly_minutes, 'ends_at', key.ends_at, 'line_id', key.line_id,
      'replaces_id', key.replaces_id, 'replaced_ends_at', replaced.ends_at) as change
    from api_keys key left join api_keys replaced on replaced.id = key.replaces_id
    where key.created_at >= $1::timestamptz and $2::bigint is not null`,
  `select created_at as at, json_build_object('kind', kind, 'id', id::text, 'account_id', account_id, 'seconds', seconds,
      'reference', reference, 'job_id', job_id) as change
    from ledger where id > $2::bigint and created_at >= $1::timestamptz`,
  `select revoked_at as at, json_build_object('kind', 'revocation', 'id', id) as change
    from api_keys where revoked_at >= $1::timestamptz and $2::bigint is not null`,
  `select deleted_at as at, json_build_object('kind', 'account_deletion', 'id', id) as change
    from accounts where deleted_at >= $1::timestamptz and $2::bigint is not null`,
  // The hash of the request is erased only by a deletion and by the retention of an account.
  `select erased_at as at, json_build_object('kind', 'job_deletion', 'id', id, 'account_id', account_id) as change
    from jobs where request_hash = '' and erased_at >= $1::timestamptz and $2::bigint is not null`,
];

/** Ids of the ledger that are read again: more than are taken while one transaction writes. */
const ledgerOverlap = 20_000;

/**
 * Returns the changes since a time, from one snapshot of the database, each kind in order of time.
 *
 * @param afterLedgerId the highest id of the ledger that was read before; ids shortly before it are read again. Without
 *   one, the whole ledger is searched for the time.
 * @returns the changes, and the time of the snapshot by the database.
 */
export function readChanges(
  db: Db,
  { since, afterLedgerId = ledgerOverlap }: { since: string; afterLedgerId?: number },
): Promise<{ changes: Change[]; at: string }> {
  const parameters = [since, afterLedgerId - ledgerOverlap];
  return db.transaction(
    async (tx) => {
      await tx.execute(sql`set local statement_timeout = '5min'`);
      const [now] = await tx.execute<{ at: string }>(sql`select to_json(now())#>>'{}' as at`);
      const changes: Change[] = [];
      for (const reading of readings) {
        const text = `select to_json(at)#>>'{}' as at, change from (${reading}) rows order by rows.at, change->>'id'`;
        const rows = await runStatement<{ at: string; change: string }>(tx, text, parameters);
        for (const { at, change } of rows) changes.push({ ...JSON.parse(change), at });
      }
      return { changes, at: String(now?.at) };
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

/**
 * Makes a change again in a database that was restored to a time before it. Safe to repeat. An open job whose debit was
 * made fails without a second charge: its answer went out before.
 *
 * @returns whether the database did not have the change.
 * @throws if another account has the address of an account.
 */
export async function replayChange(db: Db, change: Change, error: ErrorInside): Promise<boolean> {
  switch (change.kind) {
    case "account": {
      const { id, email, at } = change;
      await db
        .insert(accounts)
        .values({ id, email, createdAt: new Date(at) })
        .onConflictDoNothing({ target: accounts.id });
      return false;
    }
    case "free_grant": {
      const emailSha256 = Buffer.from(change.id, "hex");
      await db.insert(freeGrants).values({ emailSha256 }).onConflictDoNothing();
      return false;
    }
    case "key":
      return db.transaction((tx) => replayKey(tx, change));
    case "grant":
      return addToLedger(db, { ...change, jobId: null });
    case "debit":
      await failAndRelease(db, { jobId: change.job_id, error });
      return addToLedger(db, { ...change, jobId: change.job_id, reference: null });
    case "revocation": {
      const isLive = and(eq(apiKeys.id, change.id), isNull(apiKeys.revokedAt));
      const at = new Date(change.at);
      return (await db.update(apiKeys).set({ revokedAt: at }).where(isLive).returning({ id: apiKeys.id })).length > 0;
    }
    case "account_deletion":
      return deleteAccount(db, { accountId: change.id, error });
    case "job_deletion": {
      const job = { id: change.id, accountId: change.account_id };
      await failAndRelease(db, { jobId: job.id, error });
      return (await eraseJob(db, job)) === "erased";
    }
    default:
      throw new Error(`unknown change ${JSON.stringify(change satisfies never)}`);
  }
}

async function replayKey(tx: Tx, key: Change & { kind: "key" }): Promise<boolean> {
  await lockAccount(tx, key.account_id);
  if (key.replaces_id && key.replaced_ends_at) {
    await tx
      .update(apiKeys)
      .set({
        endsAt: sql`least(ends_at, ${key.replaced_ends_at}::timestamptz)`,
        needs: sql`(select array_agg(distinct need) from unnest(needs || '{end}') need)`,
      })
      .where(eq(apiKeys.id, key.replaces_id));
  }
  if ((await tx.$count(apiKeys, eq(apiKeys.id, key.id))) > 0) return false;
  await insertKey(tx, {
    id: key.id,
    accountId: key.account_id,
    name: key.name,
    sha256: Buffer.from(key.sha256, "hex"),
    display: key.display,
    scope: key.scope,
    monthlyMinutes: key.monthly_minutes,
    endsAt: key.ends_at === null ? null : new Date(key.ends_at),
    lineId: key.line_id,
    createdAt: new Date(key.at),
    ...(key.replaces_id ? { replacesId: key.replaces_id } : {}),
  });
  return true;
}

type LedgerRow = { kind: "grant" | "debit"; account_id: string; seconds: number; at: string };

async function addToLedger(
  db: Db,
  { kind, account_id, seconds, at, ...rest }: LedgerRow & { jobId: string | null; reference: string | null },
): Promise<boolean> {
  const { jobId, reference } = rest;
  const row = { accountId: account_id, seconds, kind, jobId, reference, createdAt: new Date(at) };
  return (await db.insert(ledger).values(row).onConflictDoNothing().returning({ id: ledger.id })).length > 0;
}

/** Returns the seconds that a job of the account costs by the ledger; undefined if it costs none. */
export async function findDebit(db: Db, job: { id: string; accountId: string }): Promise<number | undefined> {
  const isDebit = and(eq(ledger.kind, "debit"), eq(ledger.jobId, job.id), eq(ledger.accountId, job.accountId));
  const [debit] = await db.select({ seconds: ledger.seconds }).from(ledger).where(isDebit);
  return debit && -debit.seconds;
}
