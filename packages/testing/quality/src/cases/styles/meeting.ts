import { placeEvents } from "../place-events.ts";
import { names, type Style, secondsBetween } from "./style.ts";

const decisions = ["we buy the printer", "we move the date", "we keep the price", "we close the shop on Monday"];
const tasks = ["call the bank", "order the desks", "write the report", "book the room", "test the pump"];
/** Spoken letters take about 75 milliseconds each. A step is 100 milliseconds. */
const stepsPerLetter = 0.75;

/** Spoken decisions and tasks. The schema also asks for open questions, which are never spoken. */
export const meeting: Style = {
  name: "meeting",
  needsSpeech: true,
  make(draw) {
    const durationMs = secondsBetween(draw, 90, 240);
    const spans = placeEvents(draw, { durationMs, count: draw.whole(4, 8), minMs: 4000, maxMs: 4000 });
    const events = spans.map(({ startMs }) => {
      const decision = draw.one(decisions);
      const [task, owner] = [draw.one(tasks), draw.one(names)];
      const isTask = draw.chance(0.5);
      const words = isTask ? `${owner} will ${task}.` : `Decision: ${decision}.`;
      return {
        ...{
          label: isTask ? "task" : "decision",
          startMs,
          endMs: startMs + Math.round(words.length * stepsPerLetter) * 100,
        },
        ...{ via: "speech" as const, attributes: isTask ? { task, owner } : { decision } },
        shows: [{ kind: "speech" as const, words }],
      };
    });
    const at = { startKey: "at", endKey: null, about: "when it is said" };
    const owner = { key: "owner", type: "string" as const, about: "who does it", optional: true };
    const due = { key: "due", type: "string" as const, about: "as it is said", optional: true };
    return {
      plan: { durationMs, background: "gray", facts: {}, events },
      spec: {
        values: [],
        moments: [],
        lists: [
          {
            ...{ key: "decisions", label: "decision", ...at },
            fields: [{ key: "decision", type: "string", about: "the words after “Decision”" }],
          },
          {
            ...{ key: "tasks", label: "task", ...at },
            fields: [{ key: "task", type: "string", about: "the words after “will”" }, owner, due],
          },
          {
            ...{ key: "open_questions", label: "open question", ...at },
            fields: [{ key: "question", type: "string", about: "word for word" }],
          },
        ],
      },
    };
  },
};
