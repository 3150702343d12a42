import { type Detail, maxFreeTokens, maxTokensOfJob } from "@video-to-json/contract";
import { sql } from "drizzle-orm";
import type { Db, Tx } from "../connection/open-database.ts";
import { runStatement } from "../connection/statements.ts";
import type { JobEffort } from "../jobs/change-job.ts";

/** What the accounts of an installation have cost, for the operator. `isFree`: no grant was paid. */
export type AccountCost = {
  email: string;
  tokens: number;
  dollars: number;
  processorSeconds: number;
  billedSeconds: number;
  isFree: boolean;
};

/** The SQL for the free seconds of a row of `accounts`, or null if the account pays (docs/decisions/0001, "Cost"). */
export const freeSecondsText = `case when not pays then
(select coalesce(sum(seconds), 0)::float8 from ledger where account_id = accounts.id and kind = 'grant') end`;

const budgetText = `select ${freeSecondsText} as "freeSeconds", tokens,
(select coalesce(json_agg(json_build_array(h.seconds, j.detail)), '[]')::text from holds h join jobs j on j.id = h.job_id
where h.account_id = $1 and h.state = 'held' and h.job_id <> $2) as others
from accounts where id = $1`;

type Row = { freeSeconds: number | null; tokens: string; others: string };

/**
 * Returns whether an account may begin a job that may cost `tokens`: what its jobs have cost, and what its other held
 * jobs may cost, leave room. An account with a paid grant always may.
 */
export async function hasBudget(
  tx: Tx,
  { accountId, jobId, tokens }: { accountId: string; jobId: string; tokens: number },
): Promise<boolean> {
  const [row] = await runStatement<Row>(tx, budgetText, [accountId, jobId]);
  if (!row || row.freeSeconds === null) return true;
  const others = JSON.parse(row.others) as [seconds: number, detail: Detail | null][];
  const reserved = others.reduce((sum, [seconds, detail]) => sum + maxTokensOfJob(seconds, detail ?? "standard"), 0);
  return Number(row.tokens) + reserved + tokens <= maxFreeTokens(row.freeSeconds);
}

/** Returns whether an account has no paid grant. */
export async function isFree(db: Db, accountId: string): Promise<boolean> {
  const [row] = await runStatement<{ pays: boolean }>(db, "select pays from accounts where id = $1", [accountId]);
  return row?.pays === false;
}

/** Adds what a run has cost to what its account has cost. */
export async function addCost(
  db: Db,
  accountId: string,
  effort?: Pick<JobEffort, "tokens" | "dollars" | "processorMs">,
): Promise<void> {
  if (!effort || effort.tokens + effort.processorMs === 0) return;
  const { tokens, dollars, processorMs } = effort;
  await db.execute(sql`
    update accounts set tokens = tokens + ${tokens}, processor_ms = processor_ms + ${Math.round(processorMs)},
      microdollars = microdollars + ${Math.round(dollars * 1e6)}
    where id = ${accountId}`);
}

/** Returns the accounts that have cost most, first. */
export async function listCosts(db: Db, limit: number): Promise<AccountCost[]> {
  const rows = await db.execute<{
    email: string;
    tokens: string;
    cost: string;
    ms: string;
    billed: string;
    free: boolean;
  }>(sql`
    select email, tokens, microdollars as cost, processor_ms as ms, not pays as free,
      (select coalesce(-sum(seconds), 0) from ledger where account_id = accounts.id and kind = 'debit') as billed
    from accounts where tokens > 0 or processor_ms > 0 order by microdollars desc, tokens desc, processor_ms desc limit ${limit}`);
  return rows.map(({ email, tokens, cost, ms, billed, free }) => ({
    email,
    tokens: Number(tokens),
    dollars: Number(cost) / 1e6,
    processorSeconds: Number(ms) / 1000,
    billedSeconds: Number(billed),
    isFree: free,
  }));
}
