import type { Db } from "../connection/open-database.ts";
import { runStatement, sendTogether } from "../connection/statements.ts";
import { isFailedWork, type RecentJobs } from "../jobs/list-jobs.ts";
import { type KeyLimit, readKeyLimit } from "../keys/key-limit.ts";
import { type Checkpoint, checkpointIfDue } from "./balance.ts";
import { freeSecondsText } from "./cost.ts";

/** The state of an account that an admission needs. */
export type AccountState = {
  /** Whether the key of the request is live, or the account if the request has no key. */
  isKeyLive: boolean;
  /** The monthly limit of the key; undefined without a limit. */
  keyLimit: KeyLimit | undefined;
  /** How many jobs the account may have open; null means the default limit, MAX_JOBS_PER_ACCOUNT. */
  maxJobs: number | null;
  /** How many jobs of the account are queued or running. */
  openJobs: number;
  /** The jobs of the last hour. */
  recentJobs: RecentJobs;
  /** The seconds that a new job can hold. */
  availableSeconds: number;
  /** The free seconds of an account without a paid grant; null for the others. */
  freeSeconds: number | null;
  /** The provider's tokens that its jobs have cost. */
  tokens: number;
};

type Query = {
  accountId: string;
  /** Null: the request has no key. */
  keyId: string | null;
  /** Whether the key had a monthly limit when it was looked up. A limit that came since holds from the hold on. */
  hasMonthlyLimit: boolean;
  /** Any checkpoint of the account. Its rows never change, so an old one only makes the query read more rows. */
  checkpoint: Checkpoint;
};

type Row = {
  is_key_live: boolean;
  max_jobs: number | null;
  open_jobs: number;
  jobs: number;
  failed: number;
  max_failed_extractions: number | null;
  max_failed_percent: number | null;
  entered: string;
  rows: string;
  newest_id: string | null;
  held: string;
  free_seconds: number | null;
  tokens: string;
};

/** `$1` is the account, `$2` the key, `$3` the ledger id of the checkpoint. */
export const accountStateText = `select max_jobs, max_failed_extractions, max_failed_percent, tokens, recent.*, tail.*,
${freeSecondsText} as free_seconds,
deleted_at is null and ($2::uuid is null or exists (select from api_keys
where id = $2 and revoked_at is null and coalesce(ends_at > now(), true))) as is_key_live,
(select count(*)::int from jobs where account_id = $1 and status in ('queued', 'running')) as open_jobs,
(select coalesce(sum(seconds), 0) from holds where account_id = $1 and state = 'held') as held
from accounts,
lateral (select count(*)::int as jobs, (count(*) filter (where ${isFailedWork}))::int as failed
from jobs where account_id = $1 and created_at > now() - interval '1 hour') recent,
(select coalesce(sum(seconds), 0) as entered, count(*) as rows, max(id) as newest_id
from ledger where account_id = $1 and id > $3) tail
where accounts.id = $1`;

/**
 * Returns the state of an account that an admission needs. This takes one query, or two that are sent together for a
 * key with a monthly limit. Under the account's lock, the state is valid until the transaction ends. Undefined if the
 * account does not exist. A call that reads many ledger rows adds a checkpoint.
 */
export async function readAccountState(
  db: Db,
  { accountId, keyId, hasMonthlyLimit, checkpoint }: Query,
): Promise<AccountState | undefined> {
  const [[row], keyLimit] = await sendTogether([
    runStatement<Row>(db, accountStateText, [accountId, keyId, checkpoint.ledgerId], { withBegin: true }),
    keyId !== null && hasMonthlyLimit && readKeyLimit(db, { accountId, keyId }),
  ]);
  if (!row) return undefined;
  const entered = checkpoint.seconds + Number(row.entered);
  const tail = { rows: Number(row.rows), newestId: Number(row.newest_id) };
  await checkpointIfDue(db, accountId, { entered, tail });
  return {
    isKeyLive: row.is_key_live,
    keyLimit: keyLimit || undefined,
    maxJobs: row.max_jobs,
    openJobs: row.open_jobs,
    recentJobs: {
      jobs: row.jobs,
      failed: row.failed,
      maxFailedExtractions: row.max_failed_extractions,
      maxFailedPercent: row.max_failed_percent,
    },
    availableSeconds: entered - Number(row.held),
    freeSeconds: row.free_seconds,
    tokens: Number(row.tokens),
  };
}
