import { placeEvents } from "../place-events.ts";
import { backgrounds, type Style, secondsBetween } from "./style.ts";

const kinds = ["no_helmet", "no_vest", "fall", "near_miss", "blocked_exit"];
const colorOf: Record<string, string> = {
  no_helmet: "yellow",
  no_vest: "orange",
  fall: "red",
  near_miss: "magenta",
  blocked_exit: "blue",
};

/** Incidents as shapes with captions, some of them near-duplicates, and an evacuation that never happens. */
export const safety: Style = {
  name: "safety",
  needsSpeech: false,
  make(draw) {
    const durationMs = secondsBetween(draw, 90, 240);
    const twin = { kind: draw.one(kinds), severity: "low", people: 1 };
    const spans = placeEvents(draw, { durationMs, count: draw.whole(4, 8), minMs: 500, maxMs: 25_000 });
    const events = spans.map(({ startMs, endMs }) => {
      const drawn = { kind: draw.one(kinds), severity: draw.one(["low", "medium", "high"]), people: draw.whole(1, 5) };
      const attributes = draw.chance(0.25) ? twin : drawn;
      const { kind, severity, people } = attributes;
      const text = `${kind.replace("_", " ")} - ${severity} - ${people}`;
      return {
        ...{ label: "incident", startMs, endMs, via: "sight" as const, attributes },
        shows: [
          { kind: "shape" as const, shape: "square" as const, color: colorOf[kind] ?? "red", moves: draw.chance(0.5) },
          { kind: "text" as const, text, size: draw.one([14, 18, 24]), place: "top" as const },
        ],
      };
    });
    const plan = { durationMs, background: draw.one(backgrounds), facts: { view_is_clear: true }, events };
    const fields = [
      { key: "kind", type: kinds, about: "what the caption names" },
      { key: "severity", type: ["low", "medium", "high"], about: "as the caption says" },
      { key: "people", type: "integer" as const, about: "the number in the caption" },
    ];
    const when = "when the incident begins";
    const times = { startKey: "start", endKey: "end" };
    return {
      plan,
      spec: {
        values: [{ key: "view_is_clear", type: "boolean", about: "false if something hides the picture" }],
        moments: [
          {
            key: "first_incident_at",
            label: "incident",
            nth: "first",
            edge: "start",
            about: "when the first one begins",
          },
          { key: "evacuation_at", label: "evacuation", nth: "first", edge: "start", about: "when people must leave" },
        ],
        lists: [
          { key: "incidents", label: "incident", ...times, about: when, fields },
          { key: "evacuations", label: "evacuation", ...times, about: "when people begin to leave", fields: [] },
        ],
      },
    };
  },
};
