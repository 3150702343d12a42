import { eq } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { runStatement } from "../connection/statements.ts";
import { accounts } from "../tables/accounts.ts";

/** A mail that is due: whose minutes are used to which part, in percent. `keyName` null: those of the account. */
export type DueMinuteMail = { email: string; keyName: string | null; threshold: 80 | 100 };

type Row = { email: string; key_name: string | null; threshold: number };

/**
 * `$1` is the minimum price of a job. Owners are accounts and lines of keys, of accounts that were charged yesterday or
 * today. Minutes that cannot pay another job count as used up. The insert takes each threshold once, also with several senders.
 */
const text = `with charged as (
  select id, email from accounts where deleted_at is null and minute_mails and exists (select from daily_usage
  where account_id = accounts.id and day >= (now() at time zone 'UTC')::date - 1)),
owners as (
  select charged.id as account_id, charged.id as owner_id, email, null as key_name, 'granted ' || total.seconds as period,
  total.seconds as total,
  (select coalesce(sum(seconds), 0) from daily_usage where account_id = charged.id) as used
  from charged, lateral (select coalesce(sum(seconds), 0) as seconds from ledger
  where account_id = charged.id and kind = 'grant') total
  union all
  select * from (select distinct on (account_id, coalesce(line_id, key.id)) account_id, coalesce(line_id, key.id), email,
  name, to_char(now() at time zone 'UTC', 'YYYY-MM'), 60::bigint * monthly_minutes,
  (select coalesce(sum(seconds), 0) from daily_usage where account_id = key.account_id
  and day >= date_trunc('month', now() at time zone 'UTC') and key_id in (select line.id from api_keys line
  where line.account_id = key.account_id and coalesce(line.line_id, line.id) = coalesce(key.line_id, key.id)))
  from api_keys key join charged on charged.id = account_id
  where monthly_minutes is not null and revoked_at is null and coalesce(ends_at > now(), true)
  order by account_id, coalesce(line_id, key.id), key.created_at desc) keys),
reached as (
  select owners.*, threshold from owners, (values (80), (100)) thresholds (threshold)
  where total > 0 and (used * 100 >= total * threshold or (threshold = 100 and used + $1::int > total))),
recorded as (
  insert into minute_mails (account_id, owner_id, period, threshold)
  select account_id, owner_id, period, threshold from reached on conflict do nothing
  returning account_id, owner_id, period, threshold)
select distinct on (owner_id) email, key_name, recorded.threshold from recorded join reached using (owner_id, threshold)
order by owner_id, recorded.threshold desc`;

/**
 * Records and returns the mails about used minutes that are due: at 80 and at 100 percent of what an account was granted
 * and of a key's month, each once. Of both at once, the higher one is returned. The record comes before the mail, so a
 * process that dies between them loses the mail and none is sent twice.
 */
export async function takeDueMinuteMails(db: Db, minimumSeconds: number): Promise<DueMinuteMail[]> {
  const rows = await runStatement<Row>(db, text, [minimumSeconds]);
  return rows.map(({ email, key_name, threshold }) => ({
    email,
    keyName: key_name,
    threshold: threshold === 80 ? 80 : 100,
  }));
}

/** Sets whether the owner of an account gets mails about used minutes. */
export async function setMinuteMails(db: Db, id: string, isOn: boolean): Promise<void> {
  await db.update(accounts).set({ minuteMails: isOn }).where(eq(accounts.id, id));
}

/** Returns whether the owner of an account gets mails about used minutes. */
export async function readMinuteMails(db: Db, id: string): Promise<boolean> {
  const [account] = await db.select({ isOn: accounts.minuteMails }).from(accounts).where(eq(accounts.id, id));
  return account?.isOn ?? false;
}
