import type { LedgerPlace } from "@video-to-json/database/money";

/** Returns the cursor of the page of the ledger that follows a row. It is opaque to clients. */
export function writeLedgerCursor({ id, balanceBefore }: LedgerPlace): string {
  return Buffer.from(`${id}.${balanceBefore}`).toString("base64url");
}

/** Returns the row that a cursor names, or undefined for any other text. */
export function readLedgerCursor(cursor: unknown): LedgerPlace | undefined {
  if (typeof cursor !== "string") return undefined;
  const match = /^(\d{1,15})\.(-?\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  return match ? { id: Number(match[1]), balanceBefore: Number(match[2]) } : undefined;
}
