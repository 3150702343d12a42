import type { Db } from "../connection/open-database.ts";
import { runStatement } from "../connection/statements.ts";

/** The monthly limit of a key, and the part of it that is used (docs/decisions/0001, "Dashboard and accounts"). */
export type KeyLimit = {
  name: string;
  /** The first characters of the key. */
  display: string;
  limitSeconds: number;
  /** The debits of this month plus the open holds of its jobs, with those of the keys of its rotations. */
  usedSeconds: number;
  /** The end of the month, when the used part returns to 0. */
  monthEndsAt: Date;
};

type Row = { name: string; display: string; monthly_minutes: number; used_seconds: string; month_ends_ms: number };

/**
 * The first day of this month, in UTC. Uses the clock that continues within a transaction, which may have waited for a
 * lock.
 */
export const monthStartText = "date_trunc('month', clock_timestamp() at time zone 'UTC')";

/** The keys that share the count of key `$2`: those of its rotations, and the key itself. */
const keysOfLine = `(select line.id from api_keys line join api_keys key
on coalesce(line.line_id, line.id) = coalesce(key.line_id, key.id)
where line.account_id = $1 and key.account_id = $1 and key.id = $2)`;

/** `$1` is the account, `$2` the key, `$3` the job whose hold the sum leaves out. */
const text = `select name, display, monthly_minutes,
(select coalesce(sum(seconds), 0) from daily_usage
where account_id = $1 and key_id in ${keysOfLine} and day >= ${monthStartText})
+ (select coalesce(sum(holds.seconds), 0) from holds join jobs on jobs.id = holds.job_id
where holds.account_id = $1 and state = 'held' and key_id in ${keysOfLine} and ($3::uuid is null or holds.job_id <> $3)) as used_seconds,
(extract(epoch from (${monthStartText} + interval '1 month') at time zone 'UTC') * 1000)::float8 as month_ends_ms
from api_keys where id = $2 and account_id = $1 and monthly_minutes is not null`;

type Query = {
  accountId: string;
  keyId: string;
  /** A job whose hold the sum leaves out. */
  exceptJobId?: string;
};

/**
 * Returns the monthly limit of a key and the part of it that is used; undefined without a limit. Under the account's
 * lock, the figure is valid until the transaction ends.
 */
export async function readKeyLimit(db: Db, query: Query): Promise<KeyLimit | undefined> {
  const { accountId, keyId, exceptJobId } = query;
  // An admission sends it among the statements that begin the transaction.
  const [row] = await runStatement<Row>(db, text, [accountId, keyId, exceptJobId ?? null], { withBegin: true });
  if (!row) return undefined;
  return {
    name: row.name,
    display: row.display,
    limitSeconds: 60 * row.monthly_minutes,
    usedSeconds: Number(row.used_seconds),
    monthEndsAt: new Date(row.month_ends_ms),
  };
}
