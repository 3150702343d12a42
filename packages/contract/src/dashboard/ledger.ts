import Type from "typebox";
import { exact, Id, NextCursor, orNull, Seconds, Time } from "./fields.ts";

/** A row of the ledger. A debit has negative seconds and the job that caused it; a grant has a note. */
export const LedgerEntry = exact({
  id: Type.Integer(),
  kind: Type.Enum(["grant", "debit"]),
  seconds: Seconds,
  balance_after: Seconds,
  job_id: orNull(Id),
  note: orNull(Type.String()),
  created_at: Time,
});
export type LedgerEntry = Type.Static<typeof LedgerEntry>;

/** `GET ledger`: newest first. */
export const LedgerPage = exact({ entries: Type.Array(LedgerEntry), next_cursor: NextCursor });
export type LedgerPage = Type.Static<typeof LedgerPage>;
