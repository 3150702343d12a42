import { splitTime } from "../split-time.ts";
import { type Style, secondsBetween } from "./style.ts";

const places = ["Harbour", "Market", "Station", "Garden", "Museum", "Bridge", "Tower", "Beach"];
const colors = ["navy", "maroon", "darkgreen", "gray", "purple"];

/** Chapters of up to several minutes with hard cuts between them. */
export const chapters: Style = {
  name: "chapters",
  needsSpeech: false,
  make(draw) {
    const durationMs = secondsBetween(draw, 240, 480);
    const count = draw.whole(3, 6);
    const titles = draw.some(places, count);
    const first = draw.whole(0, colors.length - 1);
    const events = splitTime(draw, { durationMs, count, minMs: 10_000 }).map(({ startMs, endMs }, index) => {
      const title = `${titles[index] ?? "Harbour"}`;
      const color = colors[(first + index) % colors.length] ?? "navy";
      return {
        ...{ label: "chapter", startMs, endMs, via: "sight" as const, attributes: { title, color } },
        shows: [
          { kind: "background" as const, color },
          { kind: "text" as const, text: title, size: 28, place: "middle" as const },
          { kind: "shape" as const, shape: "square" as const, color: "white", moves: true },
        ],
      };
    });
    const title = draw.one(["City tour", "Old town", "By tram"]);
    const banner = { label: "banner", startMs: 0, endMs: durationMs, via: "text" as const, attributes: {} };
    const header = { kind: "text" as const, text: title, size: 14, place: "top" as const };
    return {
      plan: { durationMs, background: "black", facts: { title }, events: [{ ...banner, shows: [header] }, ...events] },
      spec: {
        values: [
          { key: "title", type: "string", about: "the small words at the top of the picture" },
          { key: "narrator", type: "string", about: "the name of the narrator, if it is given", optional: true },
        ],
        moments: [{ key: "credits_at", label: "credits", nth: "first", edge: "start", about: "the closing credits" }],
        lists: [
          {
            ...{ key: "chapters", label: "chapter", startKey: "start", endKey: "end", about: "when it begins" },
            fields: [
              { key: "title", type: "string", about: "the word in the middle of the picture" },
              { key: "color", type: colors, about: "the colour of the background" },
            ],
          },
        ],
      },
    };
  },
};
