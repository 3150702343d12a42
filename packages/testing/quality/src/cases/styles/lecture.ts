import { splitTime } from "../split-time.ts";
import { type Style, secondsBetween } from "./style.ts";

const topics = ["Light", "Sound", "Heat", "Motion", "Waves", "Gases", "Metals", "Orbits", "Cells", "Plants"];

/** Slides with titles in several sizes. Some titles differ by their number only. */
export const lecture: Style = {
  name: "lecture",
  needsSpeech: false,
  make(draw) {
    const durationMs = secondsBetween(draw, 120, 360);
    const count = draw.whole(4, 9);
    const chosen = draw.some(topics, count);
    const repeated = draw.one(chosen);
    const events = splitTime(draw, { durationMs, count, minMs: 4000 }).map(({ startMs, endMs }, index) => {
      const topic = draw.chance(0.3) ? repeated : (chosen[index] ?? repeated);
      const title = `${topic} ${index + 1}`;
      const size = draw.one([16, 22, 30]);
      const show = { kind: "text" as const, text: title, size, place: "middle" as const };
      const page = { kind: "background" as const, color: index % 2 === 0 ? "darkgreen" : "navy" };
      return { label: "slide", startMs, endMs, via: "text" as const, attributes: { title }, shows: [page, show] };
    });
    const subject = `Physics ${draw.whole(101, 499)}`;
    const header = { kind: "text" as const, text: subject, size: 14, place: "top" as const };
    const banner = { label: "banner", startMs: 0, endMs: durationMs, via: "text" as const, attributes: {} };
    return {
      plan: {
        ...{ durationMs, background: "navy", facts: { subject } },
        events: [{ ...banner, shows: [header] }, ...events],
      },
      spec: {
        values: [
          { key: "subject", type: "string", about: "the course at the top of the picture" },
          { key: "speaker", type: "string", about: "the name of the speaker, if it is shown", optional: true },
        ],
        moments: [{ key: "quiz_at", label: "quiz", nth: "first", edge: "start", about: "when a quiz is shown" }],
        lists: [
          {
            ...{ key: "slides", label: "slide", startKey: "at", endKey: null, about: "when the slide appears" },
            fields: [{ key: "title", type: "string", about: "as written on the slide" }],
          },
        ],
      },
    };
  },
};
