import type { KeyScope } from "@video-to-json/contract";
import type { Db } from "../connection/open-database.ts";
import { runStatement } from "../connection/run-statement.ts";

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
