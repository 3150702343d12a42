import { dateText, minutesText } from "../design/format.ts";
import type { DaySeries } from "./series.ts";

/** The figures of the chart, newest day first. */
export function UsageTable({ series: { days, parts } }: { readonly series: DaySeries }) {
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
