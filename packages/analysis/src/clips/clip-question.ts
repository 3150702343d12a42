import { fence } from "../prompt/fence.ts";
import { clipForm } from "./clip-prompt.ts";

/** A part of the whole video, in milliseconds from its start. */
export type ClipWindow = { fromMs: number; toMs: number };

/**
 * One question about a clip: what happens. It does not mention times, so that the answer is independent of any claim.
 */
export type ClipQuestion = { what: string };

/** Returns the schema of the answer to questions about a clip. Each question is the description of its member. */
export function clipSchema(questions: readonly ClipQuestion[]): Record<string, unknown> {
  const names = questions.map((_, index) => questionName(index));
  const asked = questions.map(({ what }) => ({ ...answerSchema, description: `When does this happen? ${what}` }));
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name, index) => [name, asked[index]])),
    required: names,
  };
}

/** Returns the prompt for questions about a clip. It contains the schema too, for models that take no schema. */
export function writeClipPrompt(window: ClipWindow, schema: Record<string, unknown>): string {
  return [
    `This clip is a part of a longer video: the part from ${clipTime(window.fromMs)} to ${clipTime(window.toMs)}.`,
    clipForm,
    "Answer with JSON that conforms to this schema. The description of each member is its question:",
    fence("schema", JSON.stringify(schema)),
    "Reply with the JSON only.",
  ].join("\n\n");
}

/** Returns the name of a question's member, from its index. */
export function questionName(index: number): string {
  return `question_${index + 1}`;
}

/** Returns a position in the whole video as the clock in the clip shows it: `MM:SS.t`. */
export function clipTime(ms: number): string {
  const tenths = Math.floor(ms / 100);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(tenths / 600))}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}

const time = (which: string) => ({
  type: "string",
  description: `The clock in the ${which} picture of the clip that shows it, as MM:SS.s`,
});

const answerSchema = {
  type: "object",
  properties: {
    seen: {
      type: "string",
      enum: ["here", "not_here", "cannot_tell"],
      description: "here: it happens in this clip. not_here: it does not. cannot_tell: the clip does not show which.",
    },
    times: {
      type: "array",
      description: "Each time it happens in this clip, in order of time. An empty list unless it is here.",
      items: {
        type: "object",
        properties: { from: time("first"), to: time("last") },
        required: ["from", "to"],
      },
    },
  },
  required: ["seen", "times"],
};
