import { placeEvents } from "../place-events.ts";
import { backgrounds, eventColors, type Style } from "./style.ts";

const products = ["Kettle", "Lamp", "Drill", "Tent", "Radio", "Chair", "Watch", "Bike"];
const durationMs = 600_000;

/** Forty mentions in ten minutes: more than a model lists when it stops early. Some products occur several times. */
export const mentions: Style = {
  name: "mentions",
  needsSpeech: false,
  make(draw) {
    const spans = placeEvents(draw, { durationMs, count: 40, minMs: 1000, maxMs: 8000 });
    const events = spans.map(({ startMs, endMs }) => {
      const product = draw.one(products);
      const number = draw.whole(1, 20);
      const show = {
        kind: "text" as const,
        text: `${product} ${number}`,
        size: draw.one([18, 24]),
        place: "top" as const,
      };
      const shape = { kind: "shape" as const, shape: "circle" as const, color: draw.one(eventColors), moves: false };
      return {
        ...{ label: "mention", startMs, endMs, via: "text" as const, attributes: { product, number } },
        shows: [show, shape],
      };
    });
    return {
      plan: { durationMs, background: draw.one(backgrounds), facts: {}, events },
      spec: {
        values: [],
        moments: [
          { key: "recall_at", label: "recall", nth: "first", edge: "start", about: "when a product is withdrawn" },
        ],
        lists: [
          {
            ...{ key: "mentions", label: "mention", startKey: "start", endKey: "end" },
            about: "when the name of the product appears",
            fields: [
              { key: "product", type: "string", about: "the word in the picture" },
              { key: "number", type: "integer", about: "the number behind the word" },
              { key: "brand", type: "string", about: "the maker, if it is shown", optional: true },
            ],
          },
        ],
      },
    };
  },
};
