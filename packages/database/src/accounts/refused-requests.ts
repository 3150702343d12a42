import type { ProblemCode } from "@video-to-json/contract";
import { desc, eq, lt, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { runStatement } from "../connection/statements.ts";
import { apiKeys, refusedRequests } from "../tables/accounts.ts";
import { noKey } from "../tables/jobs.ts";

/** The sender of a refused request: a caller, or the SHA-256 of a key that may be known. */
type Refused = { readonly accountId: string; readonly keyId: string | null } | { readonly keySha256: Buffer };

/** Requests of one sender that were refused with one code at one route. The last one names itself. */
export type RefusedRequests = {
  readonly by: Refused;
  readonly code: ProblemCode;
  readonly route: string;
  readonly count: number;
  readonly requestId: string;
};

const keptRows = 200;

const insertText = `with given as (
  select * from json_to_recordset($1::text::json) as rows
  (account_id uuid, key_id uuid, sha256 text, code text, route text, count int, request_id text)),
counted as (
  select coalesce(given.account_id, api_keys.account_id) as account_id,
  coalesce(given.key_id, api_keys.id, '${noKey}') as key_id, code, route, sum(count)::int as count,
  max(request_id) as request_id
  from given left join api_keys on api_keys.sha256 = decode(given.sha256, 'hex')
  join accounts on accounts.id = coalesce(given.account_id, api_keys.account_id) and deleted_at is null
  group by 1, 2, 3, 4)
insert into refused_requests (account_id, key_id, code, route, minute, count, request_id, last_at)
select account_id, key_id, code, route, date_trunc('minute', now()), count, request_id, now() from counted
order by account_id, key_id, code, route
on conflict (account_id, minute, key_id, code, route) do update set
count = refused_requests.count + excluded.count, request_id = excluded.request_id, last_at = excluded.last_at
returning account_id`;

const trimText = `delete from refused_requests where account_id = $1 and last_at < (
select last_at from refused_requests where account_id = $1 order by last_at desc offset ${keptRows} - 1 limit 1)`;

/**
 * Adds refused requests of many senders in one statement. What names no key of an account is left out. Keeps the newest
 * 200 rows of each account.
 */
export async function recordRefusedRequests(db: Db, requests: readonly RefusedRequests[]): Promise<void> {
  const rows = requests.map(({ by, code, route, count, requestId: request_id }) => ({
    ...("keySha256" in by ? { sha256: by.keySha256.toString("hex") } : { account_id: by.accountId, key_id: by.keyId }),
    code,
    route,
    count,
    request_id,
  }));
  const written = await runStatement<{ account_id: string }>(db, insertText, [JSON.stringify(rows)]);
  for (const accountId of new Set(written.map(({ account_id }) => account_id))) {
    await runStatement(db, trimText, [accountId]);
  }
}

/** Returns the refused requests of an account, newest first. A request of the dashboard has no key. */
export function listRefusedRequests(db: Db, accountId: string) {
  const { code, route, count, requestId, lastAt } = refusedRequests;
  return db
    .select({
      keyId: apiKeys.id,
      keyName: apiKeys.name,
      keyDisplay: apiKeys.display,
      code,
      route,
      count,
      requestId,
      lastAt,
    })
    .from(refusedRequests)
    .leftJoin(apiKeys, eq(apiKeys.id, refusedRequests.keyId))
    .where(eq(refusedRequests.accountId, accountId))
    .orderBy(desc(lastAt), code, route)
    .limit(keptRows);
}

/** Deletes the refused requests that are older than seven days. Returns how many rows. */
export async function deleteOldRefusedRequests(db: Db): Promise<number> {
  const old = lt(refusedRequests.lastAt, sql`now() - interval '7 days'`);
  return (await db.delete(refusedRequests).where(old).returning({ code: refusedRequests.code })).length;
}
