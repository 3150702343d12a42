import type { LedgerPage } from "@video-to-json/contract/dashboard/ledger";
import { type Db, retryWhileUnavailable } from "@video-to-json/database";
import { listLedger } from "@video-to-json/database/money";
import { readLedgerCursor, writeLedgerCursor } from "../ledger-cursor.ts";
import { toEntry } from "../ledger-entry.ts";
import { aCursor, pageLimit, wrongParameter } from "../page-limit.ts";
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
