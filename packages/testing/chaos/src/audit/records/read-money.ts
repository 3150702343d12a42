import type { Tx } from "@video-to-json/database";
import { type Row, textOf } from "./row.ts";

/** The rows of money. */
export type MoneyRecords = {
  /** In the order of insertion. */
  ledger: readonly LedgerRecord[];
  /** The sums of accounts, each up to a row of the ledger. */
  checkpoints: readonly { accountId: string; ledgerId: number; seconds: number }[];
  holds: readonly { jobId: string; accountId: string; seconds: number; state: string }[];
};

type LedgerRecord = {
  id: number;
  accountId: string;
  seconds: number;
  kind: string;
  jobId: string | null;
  reference: string | null;
};

/** Reads the rows in a transaction. */
export async function readMoney(tx: Tx): Promise<MoneyRecords> {
  const ledger = await tx.execute<Row>(
    "select id, account_id, seconds, kind, job_id, reference from ledger order by id",
  );
  const checkpoints = await tx.execute<Row>(
    "select account_id, ledger_id, seconds from ledger_checkpoints order by ledger_id",
  );
  const holds = await tx.execute<Row>("select job_id, account_id, seconds, state from holds");
  return {
    ledger: ledger.map((row) => ({
      id: Number(row.id),
      accountId: String(row.account_id),
      seconds: Number(row.seconds),
      kind: String(row.kind),
      jobId: textOf(row.job_id),
      reference: textOf(row.reference),
    })),
    checkpoints: checkpoints.map((row) => ({
      accountId: String(row.account_id),
      ledgerId: Number(row.ledger_id),
      seconds: Number(row.seconds),
    })),
    holds: holds.map((row) => ({
      jobId: String(row.job_id),
      accountId: String(row.account_id),
      seconds: Number(row.seconds),
      state: String(row.state),
    })),
  };
}
