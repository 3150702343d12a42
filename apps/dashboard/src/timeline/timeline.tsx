import "./timeline.css";
import { ZoomIn, ZoomOut } from "lucide-react";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { type Clock, useClock } from "../clock/clock.ts";
import { Button } from "../design/button.tsx";
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
  /** Returns further rows. */
  readonly children: (zoom: number) => ReactNode;
};

const maxZoom = 32;

/** The times of an answer along the video: points as marks, spans as bars, one row per lane. */
export function Timeline({ moments, duration, clock, lit, onSeek, children }: TimelineProps) {
  const lanes = lanesOf(moments);
  const [zoom, setZoom] = useState(1);
  const button = (label: string, Icon: typeof ZoomIn, next: number) => (
    <Button
      size="small"
      variant="quiet"
      iconOnly
      aria-label={label}
      title={label}
      onClick={() => setZoom(next)}
      disabled={next < 1 || next > maxZoom}
    >
      <Icon aria-hidden="true" />
    </Button>
  );
  return (
    <section className="timeline" aria-label="Timeline">
      <div className="timeline-head">
        <TimeText clock={clock} duration={duration} />
        <div className="row">
          {button("Zoom out", ZoomOut, zoom / 2)}
          {button("Zoom in", ZoomIn, zoom * 2)}
        </div>
      </div>
      <Window clock={clock} duration={duration} zoom={zoom}>
        <div className="timeline-axis" aria-hidden="true">
          {ticksOf(duration, zoom).map((tick) => (
            <span key={tick} style={{ left: `${(tick / duration) * 100}%` }}>
              {timeText(tick)}
            </span>
          ))}
        </div>
        <PositionSlider clock={clock} duration={duration} onSeek={onSeek} />
        {lanes.map((lane, index) => (
          <LaneRow key={lane.id} lane={lane} colour={(index % 6) + 1} {...{ duration, zoom, lit, onSeek }} />
        ))}
        <Playhead clock={clock} duration={duration} />
        {children(zoom)}
      </Window>
    </section>
  );
}

type TimeProps = { readonly clock: Clock; readonly duration: number };

/** The part of the timeline that is shown. It follows the position of the video. */
function Window({
  clock,
  duration,
  zoom,
  children,
}: TimeProps & { readonly zoom: number; readonly children: ReactNode }) {
  const room = useRef<HTMLDivElement>(null);
  const part = useClock(clock, (seconds) => Math.floor((seconds / duration) * zoom * 2));
  useLayoutEffect(() => {
    const { current } = room;
    // The view begins half a window before the position, so that the last moments stay visible.
    current?.scrollTo({ left: ((part - 1) / 2) * current.clientWidth });
  }, [part, zoom]);
  return (
    <div className="timeline-window" ref={room}>
      <div className="timeline-body" style={{ width: `${zoom * 100}%` }}>
        {children}
      </div>
    </div>
  );
}

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
