import type { Db } from "../connection/open-database.ts";
import { runStatement } from "../connection/run-statement.ts";

/** The monthly limit of a key, and what of it is used (docs/decisions/0001, "Dashboard and accounts"). */
export type KeyLimit = {
  name: string;
  /** The first characters of the key. */
  display: string;
  limitSeconds: number;
  /** The debits of this month plus the open holds of its jobs. */
  usedSeconds: number;
  /** When the month ends and nothing is used again. */
  monthEndsAt: Date;
};

/** A row of `keyLimitText`. */
export type KeyLimitRow = {
  name: string;
  display: string;
  monthly_minutes: number;
  used_seconds: string;
  month_ends_ms: number;
};

/** The first day of this month, in UTC. The clock that runs on in a transaction: it may have waited for a lock. */
export const monthStartText = "date_trunc('month', clock_timestamp() at time zone 'UTC')";

/**
 * The query for the limit of a key, for the statements of an admission and a hold: no row if it has none. `$1` is the
 * account, `$2` the key. Under the account's lock the figure holds until the transaction ends.
 *
 * @param exceptJob the parameter with the job whose hold does not count.
 */
export const keyLimitText = (exceptJob?: "$3") => `select name, display, monthly_minutes,
(select coalesce(sum(seconds), 0) from daily_usage
where account_id = $1 and key_id = $2 and day >= ${monthStartText})
+ (select coalesce(sum(holds.seconds), 0) from holds join jobs on jobs.id = holds.job_id
where holds.account_id = $1 and state = 'held' and key_id = $2${exceptJob ? ` and holds.job_id <> ${exceptJob}` : ""}
) as used_seconds,
(extract(epoch from (${monthStartText} + interval '1 month') at time zone 'UTC') * 1000)::float8 as month_ends_ms
from api_keys where id = $2 and account_id = $1 and monthly_minutes is not null`;

const text = keyLimitText("$3");

type Query = { accountId: string; keyId: string; exceptJobId: string };

/** Returns the limit of a key, without the hold of one job; undefined if it has none. */
export async function readKeyLimit(db: Db, { accountId, keyId, exceptJobId }: Query): Promise<KeyLimit | undefined> {
  const [row] = await runStatement<KeyLimitRow>(db, text, [accountId, keyId, exceptJobId]);
  return row && toKeyLimit(row);
}

/** Returns the limit of a row of `keyLimitText`. */
export function toKeyLimit(row: KeyLimitRow): KeyLimit {
  return {
    name: row.name,
    display: row.display,
    limitSeconds: 60 * row.monthly_minutes,
    usedSeconds: Number(row.used_seconds),
    monthEndsAt: new Date(row.month_ends_ms),
  };
}
