import type { Tx } from "@video-to-json/database";
import { type Row, textOf } from "./row.ts";

/** The rows of accounts, their API keys, and the addresses that got the free seconds. */
export type AccountRecords = {
  accounts: readonly AccountRecord[];
  apiKeys: readonly { accountId: string; sha256: string; display: string; isRevoked: boolean }[];
  /** The SHA-256 of each e-mail address that got its free seconds, in hex. */
  freeGrants: readonly string[];
};

/** The row of an account. */
type AccountRecord = {
  id: string;
  email: string;
  /** Its own limits, as text; empty when the defaults apply. */
  ownLimits: string;
};

/** Reads the rows in a transaction. */
export async function readAccounts(tx: Tx): Promise<AccountRecords> {
  const accounts = await tx.execute<Row>(`select id, email,
    concat_ws(', ', max_jobs, max_failed_extractions, max_failed_percent) as own_limits from accounts`);
  const apiKeys = await tx.execute<Row>(`select account_id, encode(sha256, 'hex') as sha256, display,
    revoked_at is not null as is_revoked from api_keys`);
  const freeGrants = await tx.execute<Row>("select encode(email_sha256, 'hex') as sha256 from free_grants");
  return {
    accounts: accounts.map((row) => ({
      id: String(row.id),
      email: String(row.email),
      ownLimits: textOf(row.own_limits) ?? "",
    })),
    apiKeys: apiKeys.map((row) => ({
      accountId: String(row.account_id),
      sha256: String(row.sha256),
      display: String(row.display),
      isRevoked: row.is_revoked === true,
    })),
    freeGrants: freeGrants.map((row) => String(row.sha256)),
  };
}
