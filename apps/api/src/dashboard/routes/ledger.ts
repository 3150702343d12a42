import type { LedgerPage } from "@video-to-json/contract/dashboard/account";
import { type Db, retryWhileUnavailable } from "@video-to-json/database";
import { type LedgerPlace, listLedger } from "@video-to-json/database/money";
import { aCursor, pageLimit, toEntry, wrongParameter } from "../rows.ts";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

/** `GET ledger`: every grant and debit, newest first, with the balance after each. */
export const ledgerRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/ledger",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async ({ query }, response) => {
      const limit = pageLimit(query.limit);
      const after = query.cursor === undefined ? undefined : readLedgerCursor(query.cursor);
      if (query.cursor !== undefined && !after) throw wrongParameter("cursor", aCursor);
      const { accountId } = accountOf(response);
      const page = await retryWhileUnavailable(() => listLedger(db, { accountId, limit, after }), { ms });
      response.json({
        entries: page.entries.map(toEntry),
        next_cursor: page.last ? writeLedgerCursor(page.last) : null,
      } satisfies LedgerPage);
    },
};

/** Returns the cursor of the page of the ledger that follows a row. It is opaque to clients. */
function writeLedgerCursor({ id, balanceBefore }: LedgerPlace): string {
  return Buffer.from(`${id}.${balanceBefore}`).toString("base64url");
}

/** Returns the row that a cursor names, or undefined for any other text. */
function readLedgerCursor(cursor: unknown): LedgerPlace | undefined {
  if (typeof cursor !== "string") return undefined;
  const match = /^(\d{1,15})\.(-?\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  return match ? { id: Number(match[1]), balanceBefore: Number(match[2]) } : undefined;
}
