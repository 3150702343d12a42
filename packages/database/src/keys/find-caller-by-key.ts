import type { KeyScope } from "@video-to-json/contract";
import type { Db } from "../connection/open-database.ts";
import { runStatement } from "../connection/statements.ts";
import { keyNeeds } from "../tables/accounts.ts";

/** The account of a key. */
export type KeyOwner = {
  accountId: string;
  email: string;
  keyId: string;
  scope: KeyScope;
  /** Whether the key has ended. It is refused then. */
  hasEnded: boolean;
  /** Whether the key has a monthly limit. */
  hasMonthlyLimit: boolean;
  /** Null means the default limit, MAX_JOBS_PER_ACCOUNT. */
  maxJobs: number | null;
  /** The newest checkpoint of the account's ledger, so that reading the balance needs no second query. */
  checkpoint: { ledgerId: number; seconds: number };
};

type Row = {
  account_id: string;
  email: string;
  key_id: string;
  scope: KeyScope;
  has_ended: boolean;
  has_monthly_limit: boolean;
  is_use_due: boolean;
  max_jobs: number | null;
  ledger_id: string | null;
  seconds: string | null;
};

const isUseDue = "coalesce(last_used_at < now() - interval '1 minute', true)";

const text = `select accounts.id as account_id, email, api_keys.id as key_id, scope,
coalesce(ends_at <= now(), false) as has_ended, monthly_minutes is not null as has_monthly_limit,
${isUseDue} as is_use_due, max_jobs, ledger_id, seconds
from api_keys join accounts on accounts.id = account_id
left join lateral (select ledger_id, seconds from ledger_checkpoints where account_id = accounts.id
order by ledger_id desc limit 1) newest on true
where sha256 = $1 and revoked_at is null and deleted_at is null and needs <@ $2::text[]`;

// If many requests arrive when the write is due, one of them writes the time, and the others do not wait for it.
const useText = `update api_keys set last_used_at = now() where id = (
select id from api_keys where id = $1 and ${isUseDue} for no key update skip locked)`;

/**
 * Returns the account of a key that is not revoked, by the key's SHA-256; undefined also if the account is deleted, or if
 * the key needs an API of a later release.
 * Records the time of use, at most once a minute, and does not wait for that: a database that cannot be written still
 * lets callers read.
 */
export async function findCallerByKey(db: Db, sha256: Buffer): Promise<KeyOwner | undefined> {
  const [row] = await runStatement<Row>(db, text, [sha256, `{${keyNeeds}}`]);
  if (!row) return undefined;
  if (row.is_use_due && !row.has_ended) runStatement(db, useText, [row.key_id]).catch(() => {});
  return {
    accountId: row.account_id,
    email: row.email,
    keyId: row.key_id,
    scope: row.scope,
    hasEnded: row.has_ended,
    hasMonthlyLimit: row.has_monthly_limit,
    maxJobs: row.max_jobs,
    checkpoint: { ledgerId: Number(row.ledger_id), seconds: Number(row.seconds) },
  };
}
