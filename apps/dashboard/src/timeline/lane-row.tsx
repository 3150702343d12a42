import { type CSSProperties, type KeyboardEvent, useRef, useState } from "react";
import { type Lane, type Moment, timeText } from "../moments/moment.ts";

type LaneRowProps = {
  readonly lane: Lane;
  /** The index of the lane's colour, one of six. */
  readonly colour: number;
  readonly duration: number;
  /** How many times wider than its window the timeline is. */
  readonly zoom?: number;
  readonly lit: ReadonlySet<string>;
  readonly onSeek: (seconds: number) => void;
};

/** More marks than this in a window would cover each other. */
const mostOfWindow = 60;

/** One row of the timeline. The row is one Tab stop; the arrow keys move between its marks. */
export function LaneRow({ lane: { name, moments }, colour, duration, zoom = 1, lit, onSeek }: LaneRowProps) {
  const [current, setCurrent] = useState(0);
  const row = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const next = targetOf(event.key, current, moments.length - 1);
    if (next === undefined) return;
    event.preventDefault();
    setCurrent(next);
    row.current?.querySelectorAll("button")[next]?.focus();
  };
  const stop = Math.min(current, moments.length - 1);
  const isDense = moments.length > mostOfWindow * zoom;
  return (
    <div className="lane" style={{ "--lane": `var(--lane-${colour})` } as CSSProperties}>
      <span className="lane-name" aria-hidden="true">
        {name} <span className="lane-count">{moments.length}</span>
      </span>
      <div
        className={isDense ? "lane-row lane-dense" : "lane-row"}
        ref={row}
        role="toolbar"
        aria-label={name}
        onKeyDown={move}
      >
        {moments.map((moment, index) => (
          <button
            key={moment.pointer}
            type="button"
            className={`moment moment-${moment.kind}${lit.has(moment.fields[0] ?? "") ? " lit" : ""}`}
            style={placeOf(moment, duration)}
            tabIndex={index === stop ? 0 : -1}
            aria-label={nameOf(moment)}
            title={nameOf(moment)}
            data-moment={moment.pointer}
            onFocus={() => setCurrent(index)}
            onClick={() => onSeek(moment.from)}
          >
            {moment.kind === "span" && <span className="moment-label">{moment.label}</span>}
          </button>
        ))}
      </div>
    </div>
  );
}

function targetOf(key: string, current: number, last: number): number | undefined {
  switch (key) {
    case "ArrowRight":
      return Math.min(last, current + 1);
    case "ArrowLeft":
      return Math.max(0, current - 1);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}

function placeOf({ kind, from, to }: Moment, duration: number) {
  const part = (seconds: number) => Math.min(100, (seconds / duration) * 100);
  return kind === "point" ? { left: `${part(from)}%` } : { left: `${part(from)}%`, width: `${part(to) - part(from)}%` };
}

function nameOf({ kind, from, to, label }: Moment): string {
  const time = kind === "point" ? timeText(from) : `${timeText(from)} to ${timeText(to)}`;
  return label === "" ? time : `${time}: ${label}`;
}
