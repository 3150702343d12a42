import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { LedgerEntry } from "@video-to-json/contract/dashboard/account";
import { Download } from "lucide-react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { ledgerQuery } from "../api/queries.ts";
import { apiBase } from "../api/request.ts";
import { Button, buttonClass } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { SkeletonRows } from "../design/display.tsx";
import { dateTimeText, minutesText } from "../design/format.ts";

/** Every grant and debit with the balance after it. */
export function LedgerCard() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(ledgerQuery);
  const entries = data?.pages.flatMap((page) => page.entries);
  return (
    <Card
      title="Ledger"
      note="Every grant and every debit. Nothing here ever changes."
      flush
      actions={
        <a className={buttonClass({ size: "small" })} href={`${apiBase}/ledger.csv`} download="ledger.csv">
          <Download aria-hidden="true" />
          CSV
        </a>
      }
      {...(hasNextPage && {
        footer: (
          <Button size="small" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        ),
      })}
    >
      {error && (
        <div className="card-body">
          <ProblemNotice problem={error} onRetry={() => void refetch()} />
        </div>
      )}
      <div className="table-scroll">
        <table className="table ledger-table">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">What</th>
              <th scope="col" className="end">
                Minutes
              </th>
              <th scope="col" className="end">
                Balance
              </th>
            </tr>
          </thead>
          <tbody>
            {entries ? (
              entries.map((entry) => <LedgerRow key={entry.id} entry={entry} />)
            ) : (
              <SkeletonRows rows={6} widths={[9, 12, 4, 4]} />
            )}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function LedgerRow({
  entry: { kind, seconds, balance_after: balance, job_id: jobId, note, created_at: at },
}: {
  readonly entry: LedgerEntry;
}) {
  return (
    <tr>
      <td className="muted">{dateTimeText(at)}</td>
      <td>
        <span className="ledger-note" title={note ?? undefined}>
          {kind === "grant" ? (note ?? "Grant") : "Extraction"}
        </span>{" "}
        {jobId !== null && (
          <Link to="/jobs/$jobId" params={{ jobId }} className="text-link mono">
            {jobId.slice(0, 8)}
          </Link>
        )}
      </td>
      <td className={seconds > 0 ? "end ledger-grant" : "end"}>
        {seconds > 0 ? "+" : "−"}
        {minutesText(Math.abs(seconds))}
      </td>
      <td className="end">{minutesText(balance)}</td>
    </tr>
  );
}
