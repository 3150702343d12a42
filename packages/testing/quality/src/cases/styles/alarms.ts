import { placeEvents } from "../place-events.ts";
import { type Style, secondsBetween } from "./style.ts";

/** Beeps, high and low, in a video with moving shapes that are irrelevant. */
export const alarms: Style = {
  name: "alarms",
  needsSpeech: false,
  make(draw) {
    const durationMs = secondsBetween(draw, 90, 240);
    const spans = placeEvents(draw, { durationMs, count: draw.whole(3, 8), minMs: 500, maxMs: 12_000 });
    const alarms = spans.map(({ startMs, endMs }) => {
      const pitch = draw.one(["low", "high"]);
      const show = { kind: "beep" as const, hertz: pitch === "low" ? 440 : 1320 };
      return { label: "alarm", startMs, endMs, via: "sound" as const, attributes: { pitch }, shows: [show] };
    });
    const shape = { kind: "shape" as const, shape: "triangle" as const, color: "white", moves: true };
    const still = { label: "decoy", startMs: 0, endMs: durationMs, via: "sight" as const, attributes: {} };
    return {
      plan: {
        ...{ durationMs, background: "navy", facts: { alarm_count: alarms.length } },
        events: [{ ...still, shows: [shape] }, ...alarms],
      },
      spec: {
        values: [{ key: "alarm_count", type: "integer", about: "how many times it beeps" }],
        moments: [
          { key: "first_alarm_at", label: "alarm", nth: "first", edge: "start", about: "when it beeps first" },
          { key: "all_clear_at", label: "all clear", nth: "first", edge: "start", about: "when the end is announced" },
        ],
        lists: [
          {
            ...{ key: "alarms", label: "alarm", startKey: "start", endKey: "end", about: "when the beep begins" },
            fields: [{ key: "pitch", type: ["low", "high"], about: "how high the beep is" }],
          },
        ],
      },
    };
  },
};
