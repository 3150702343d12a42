import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { LedgerPage } from "@video-to-json/contract/dashboard/account";
import { type Db, retryWhileUnavailable } from "@video-to-json/database";
import { type LedgerPlace, listLedger } from "@video-to-json/database/money";
import { type FairPlaces, openFairPlaces } from "@video-to-json/runtime/timing";
import { openAtOnce } from "../../http/at-once.ts";
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

const rowsAtOnce = 1000;
const columns = ["id", "created_at", "kind", "seconds", "balance_after", "job_id", "note"] as const;

/**
 * `GET ledger.csv`: the whole ledger as a download. Reads it page by page, at the speed of the browser, so that even a
 * long ledger does not fill the memory or hold a transaction open.
 */
export const ledgerCsvRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/ledger.csv",
  handle(deps) {
    const downloads = openAtOnce(10, "downloads of the ledger");
    // Pages of all downloads take turns, so that the other queries of this process find a free connection.
    const turns = openFairPlaces(1);
    return async (_request, response) => {
      const { accountId } = accountOf(response);
      using _download = downloads.begin(accountId);
      const lines = readLines(deps, accountId, turns);
      // A failure before the first line is answered with an Error.
      const first = await lines.next();
      response.type("text/csv").attachment("video-to-json-ledger.csv");
      await pipeline(Readable.from(from(first.value ?? "", lines)), response).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
      });
    };
  },
};

async function* readLines(
  { db, databaseRetryMs: ms }: Deps,
  accountId: string,
  turns: FairPlaces,
): AsyncGenerator<string> {
  let text = csvLine(columns);
  let after: LedgerPlace | undefined;
  do {
    const query = { accountId, limit: rowsAtOnce, after };
    const page = await turns.run(accountId, undefined, () =>
      retryWhileUnavailable(() => listLedger(db, query), { ms }),
    );
    for (const entry of page.entries.map(toEntry)) text += csvLine(columns.map((column) => entry[column]));
    yield text;
    text = "";
    after = page.last;
  } while (after);
}

async function* from(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/**
 * Returns a line of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front, which
 * the spreadsheet does not show.
 */
function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(field).join(",")}\r\n`;
}

function field(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
