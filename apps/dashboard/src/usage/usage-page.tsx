import "./usage.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { overviewQuery, usageQuery } from "../api/queries.ts";
import { Card } from "../design/card.tsx";
import { dateText, minutesText } from "../design/format.ts";
import { Page } from "../design/page.tsx";
import { Select } from "../design/select.tsx";
import { NoMinutesNotice } from "../start/no-minutes-notice.tsx";
import { LedgerCard } from "./ledger-card.tsx";
import { daysOfRange, ranges, type Split } from "./read-range.ts";
import { type DaySeries, seriesOf } from "./series.ts";
import { UsageChart } from "./usage-chart.tsx";

const splits: readonly { value: Split; label: string }[] = [
  { value: "outcome", label: "By outcome" },
  { value: "key", label: "By key" },
];

/** The use of the minutes: a chart of days, and the ledger. */
export function UsagePage() {
  const { days = 30, by = "outcome" } = useSearch({ from: "/signed-in/usage" });
  const navigate = useNavigate({ from: "/usage" });
  const [view, setView] = useState<"chart" | "table">("chart");
  const { from, to } = daysOfRange(days, Date.now());
  const { data, error, refetch } = useQuery({ ...usageQuery(from, to), placeholderData: keepPreviousData });
  const { data: overview } = useQuery(overviewQuery);
  const series = data && seriesOf(data, by);
  return (
    <Page title="Usage" description="Where your minutes went. Days are in UTC.">
      <div className="stack">
        {error && <ProblemNotice problem={error} onRetry={() => void refetch()} />}
        <NoMinutesNotice overview={overview} />
        <Card
          title="Minutes a day"
          flush
          actions={
            <div className="usage-controls">
              <Select
                label="Split"
                options={splits}
                value={by}
                onChange={(next) => void navigate({ search: (now) => ({ ...now, by: next }), replace: true })}
              />
              <Select
                label="Range"
                options={ranges.map((range) => ({ value: String(range), label: `Last ${range} days` }))}
                value={String(days)}
                onChange={(next) =>
                  void navigate({
                    search: (now) => ({ ...now, days: ranges.find((range) => String(range) === next) }),
                    replace: true,
                  })
                }
              />
              <Select
                label="View"
                options={[
                  { value: "chart", label: "Chart" },
                  { value: "table", label: "Table" },
                ]}
                value={view}
                onChange={setView}
              />
            </div>
          }
        >
          {view === "chart" ? <UsageChart series={series} /> : series && <UsageTable series={series} />}
        </Card>
        <LedgerCard />
      </div>
    </Page>
  );
}

/** The figures of the chart, newest day first. */
function UsageTable({ series: { days, parts } }: { readonly series: DaySeries }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
    <section className="table-scroll usage-table" tabIndex={0} aria-label="Minutes a day">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Day</th>
            {parts.map(({ id, name }) => (
              <th key={id} scope="col" className="end">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days
            .map((day, index) => (
              <tr key={day}>
                <td>{dateText(`${day}T12:00:00`)}</td>
                {parts.map(({ id, seconds }) => (
                  <td key={id} className="end">
                    {minutesText(seconds[index] ?? 0)}
                  </td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </section>
  );
}
