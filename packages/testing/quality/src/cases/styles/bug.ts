import { placeEvents } from "../place-events.ts";
import { type Style, secondsBetween } from "./style.ts";

const actions = ["clicks Save", "opens Menu", "types Name", "clicks Next", "opens File", "clicks Print"];
const errors = ["Error 42", "Disk full", "Not found", "Timeout 7"];

/** Steps in an application as texts, and a fault at the end. */
export const bug: Style = {
  name: "bug",
  needsSpeech: false,
  make(draw) {
    const durationMs = secondsBetween(draw, 60, 150);
    const spans = placeEvents(draw, { durationMs, count: draw.whole(4, 8), minMs: 1000, maxMs: 6000 });
    const error_text = draw.one(errors);
    const last = spans.length - 1;
    const events = spans.map(({ startMs, endMs }, index) => {
      const action = draw.one(actions);
      const isFault = index === last;
      const text = isFault ? error_text : action;
      const place = isFault ? ("middle" as const) : ("bottom" as const);
      return {
        ...{ label: isFault ? "fault" : "step", startMs, endMs, via: "text" as const },
        attributes: isFault ? {} : { action },
        shows: [
          { kind: "text" as const, text, size: isFault ? 30 : 16, place },
          { kind: "shape" as const, shape: "square" as const, color: isFault ? "red" : "cyan", moves: false },
        ],
      };
    });
    const app_version = `v${draw.whole(1, 9)}.${draw.whole(0, 20)}`;
    const label = { label: "version", startMs: 0, endMs: durationMs, via: "text" as const, attributes: {} };
    const version = { kind: "text" as const, text: app_version, size: 14, place: "top" as const };
    return {
      plan: {
        ...{ durationMs, background: "gray", facts: { error_text, app_version } },
        events: [{ ...label, shows: [version] }, ...events],
      },
      spec: {
        values: [
          { key: "app_version", type: "string", about: "as it is shown", optional: true },
          { key: "error_text", type: "string", about: "the large text of the fault, word for word" },
          { key: "user_name", type: "string", about: "the name of the user, if it is shown", optional: true },
        ],
        moments: [
          { key: "fault_start", label: "fault", nth: "first", edge: "start", about: "when the fault is visible" },
          { key: "crash_at", label: "crash", nth: "first", edge: "start", about: "when the application closes" },
        ],
        lists: [
          {
            ...{ key: "steps", label: "step", startKey: "at", endKey: null, about: "when the step is shown" },
            fields: [{ key: "action", type: "string", about: "the text of the step" }],
          },
        ],
      },
    };
  },
};
