import { type CSSProperties, useState } from "react";
import { Skeleton } from "../design/display.tsx";
import { countText, dateText, minutesText } from "../design/format.ts";
import { axisEnd, type DaySeries } from "./series.ts";

const width = 1000;
const height = 220;
const paint = (colour: string) => ({ "--part": `var(--${colour})` }) as CSSProperties;

/** Stacked bars, one for each day. The line above shows the figures of the day under the pointer; a table shows all. */
export function UsageChart({ series }: { readonly series: DaySeries | undefined }) {
  const [day, setDay] = useState<number>();
  const days = series?.days ?? [];
  const totals = days.map((_, index) => sum((series?.parts ?? []).map(({ seconds }) => seconds[index] ?? 0)));
  const end = axisEnd(Math.max(0, ...totals) / 60);
  const step = width / Math.max(1, days.length);
  const y = (seconds: number) => (seconds / 60 / end) * height;
  const total = sum(totals);
  return (
    <figure className="usage-chart">
      <figcaption className="usage-legend">
        <span className="usage-sum">
          {day === undefined ? (
            <>
              <strong className="numeric">{series ? minutesText(total) : <Skeleton width={4} />}</strong>{" "}
              {series && <span className="muted">in {days.length} days</span>}
            </>
          ) : (
            <>
              <strong className="numeric">{minutesText(totals[day] ?? 0)}</strong>{" "}
              <span className="muted">on {dateText(`${days[day]}T12:00:00`)}</span>
            </>
          )}
        </span>
        {!series && <Skeleton width={13} height={1.5} />}
        {!series && <Skeleton width={11} height={1.5} />}
        {(series?.parts ?? []).map(({ id, name, colour, seconds }) => (
          <span key={id} className="usage-key" style={paint(colour)}>
            {name}{" "}
            <span className="numeric">{minutesText(day === undefined ? sum(seconds) : (seconds[day] ?? 0))}</span>
          </span>
        ))}
      </figcaption>
      <div className="usage-plot">
        <div className="usage-axis numeric" aria-hidden="true">
          <span>{countText(end)}</span>
          <span>{countText(end / 2)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Minutes a day: ${minutesText(total)} in ${days.length} days. The table view has the figures.`}
          onPointerLeave={() => setDay(undefined)}
        >
          {[0, 0.5, 1].map((part) => (
            <line key={part} className="usage-line" x1={0} x2={width} y1={height * part} y2={height * part} />
          ))}
          {days.map((name, index) => {
            let below = 0;
            return (
              <g
                key={name}
                onPointerEnter={() => setDay(index)}
                className={day === index ? "usage-day-now" : "usage-day"}
              >
                <rect className="usage-hit" x={index * step} y={0} width={step} height={height} />
                {(series?.parts ?? []).map((part) => {
                  const size = y(part.seconds[index] ?? 0);
                  below += size;
                  return (
                    <rect
                      key={part.id}
                      className="usage-bar"
                      style={paint(part.colour)}
                      x={index * step + step * 0.15}
                      y={height - below}
                      width={step * 0.7}
                      height={size}
                    />
                  );
                })}
              </g>
            );
          })}
        </svg>
        {total === 0 && series && <p className="usage-none">No minutes in these days</p>}
      </div>
      <div className="usage-days numeric" aria-hidden="true">
        <span>{days[0] ? dateText(`${days[0]}T12:00:00`) : ""}</span>
        <span>{days.length > 0 ? "Today" : ""}</span>
      </div>
    </figure>
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
