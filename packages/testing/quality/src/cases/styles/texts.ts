import { placeEvents } from "../place-events.ts";
import { backgrounds, type Style, secondsBetween } from "./style.ts";

const words = ["EXIT", "Platform", "Sale ends", "Room", "Warning", "Welcome to", "Gate", "Now open", "No entry"];
const places = ["top", "middle", "bottom"] as const;

/** Texts of several sizes, from half a second to half a minute. Some come twice. */
export const texts: Style = {
  name: "texts",
  needsSpeech: false,
  make(draw) {
    const durationMs = secondsBetween(draw, 60, 200);
    const again = `${draw.one(words)} ${draw.whole(2, 99)}`;
    const spans = placeEvents(draw, { durationMs, count: draw.whole(5, 10), minMs: 500, maxMs: 30_000 });
    const events = spans.map(({ startMs, endMs }) => {
      const text = draw.chance(0.3) ? again : `${draw.one(words)} ${draw.whole(2, 99)}`;
      const place = draw.one(places);
      const show = { kind: "text" as const, text, size: draw.one([14, 18, 24, 32]), place };
      return {
        ...{ label: "text", startMs, endMs, via: "text" as const, attributes: { text, position: place } },
        shows: [show],
      };
    });
    return {
      plan: { durationMs, background: draw.one(backgrounds), facts: { text_count: events.length }, events },
      spec: {
        values: [{ key: "text_count", type: "integer", about: "how many times a text appears" }],
        moments: [{ key: "subtitle_at", label: "subtitle", nth: "first", edge: "start", about: "the first subtitle" }],
        lists: [
          {
            ...{ key: "texts", label: "text", startKey: "start", endKey: "end", about: "when it appears" },
            fields: [
              { key: "text", type: "string", about: "word for word" },
              { key: "position", type: places, about: "where it is in the picture" },
              { key: "language", type: "string", about: "as ISO 639-1, if it is certain", optional: true },
            ],
          },
        ],
      },
    };
  },
};
