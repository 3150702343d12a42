import "./timeline.css";
import type { ReactNode } from "react";
import { type Clock, useClock } from "../clock/clock.ts";
import { lanesOf } from "../moments/find-moments.ts";
import { type Moment, timeText } from "../moments/moment.ts";
import { LaneRow } from "./lane-row.tsx";
import { ticksOf } from "./ticks.ts";

type TimelineProps = {
  readonly moments: readonly Moment[];
  /** The length of the video in seconds. */
  readonly duration: number;
  readonly clock: Clock;
  readonly lit: ReadonlySet<string>;
  readonly onSeek: (seconds: number) => void;
  /** Further rows. */
  readonly children?: ReactNode;
};

/** The times of an answer along the video: points as marks, spans as bars, one row per lane. */
export function Timeline({ moments, duration, clock, lit, onSeek, children }: TimelineProps) {
  const lanes = lanesOf(moments);
  return (
    <section className="timeline" aria-label="Timeline">
      <div className="timeline-head">
        <TimeText clock={clock} duration={duration} />
      </div>
      <div className="timeline-body">
        <div className="timeline-axis" aria-hidden="true">
          {ticksOf(duration).map((tick) => (
            <span key={tick} style={{ left: `${(tick / duration) * 100}%` }}>
              {timeText(tick)}
            </span>
          ))}
        </div>
        <PositionSlider clock={clock} duration={duration} onSeek={onSeek} />
        {lanes.map((lane, index) => (
          <LaneRow key={lane.id} lane={lane} colour={(index % 6) + 1} duration={duration} lit={lit} onSeek={onSeek} />
        ))}
        <Playhead clock={clock} duration={duration} />
        {children}
      </div>
    </section>
  );
}

type TimeProps = { readonly clock: Clock; readonly duration: number };

function TimeText({ clock, duration }: TimeProps) {
  const now = useClock(clock, timeText);
  return (
    <span className="timeline-time">
      {now} <span className="muted">/ {timeText(duration)}</span>
    </span>
  );
}

function Playhead({ clock, duration }: TimeProps) {
  const left = useClock(clock, (seconds) => Math.min(100, (seconds / duration) * 100));
  return (
    <div className="playhead-room" aria-hidden="true">
      <div className="playhead" style={{ left: `${left}%` }} />
    </div>
  );
}

function PositionSlider({ clock, duration, onSeek }: TimeProps & { readonly onSeek: (seconds: number) => void }) {
  const seconds = useClock(clock, (now) => Math.round(now * 10) / 10);
  return (
    <input
      type="range"
      className="timeline-slider"
      aria-label="Position in the video"
      aria-valuetext={timeText(seconds)}
      min={0}
      max={duration}
      step={0.1}
      value={Math.min(seconds, duration)}
      onChange={(event) => onSeek(Number(event.target.value))}
    />
  );
}
