import type { LedgerEntry as Entry } from "@video-to-json/contract/dashboard/ledger";
import type { LedgerEntry } from "@video-to-json/database/money";

/** Returns a row of the ledger as the page reads it. */
export function toEntry({ id, kind, seconds, balanceAfter, jobId, reference, createdAt }: LedgerEntry): Entry {
  return {
    id,
    kind,
    seconds,
    balance_after: balanceAfter,
    job_id: jobId,
    note: noteOf(reference),
    created_at: createdAt.toISOString(),
  };
}

/** The reference of the free grant is the hash of an address. */
function noteOf(reference: string | null): string | null {
  return reference?.startsWith("free:") ? "Free minutes" : reference;
}
