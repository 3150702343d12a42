import { type Evidence, noEvidence } from "../evidence/evidence.ts";
import { addConstraints } from "./add-constraints.ts";
import { writeJson } from "./answer.ts";
import { breakAnswer } from "./break-answer.ts";
import { describe } from "./describe.ts";
import { wholeVideo } from "./event.ts";
import { createFill } from "./fill.ts";
import { obey } from "./obey.ts";
import { schemaInPrompt } from "./prompt-schema.ts";
import type { Schema } from "./schema.ts";

/** What the model knows and what it was asked. */
export type Asked = {
  evidence: Evidence;
  /** What the answer is held to; without it, the schema in the prompt is followed. */
  schema: Record<string, unknown> | undefined;
  promptText: string;
  /** What stands above the prompt. */
  systemText: string;
  wantsJson: boolean;
  /** The model has not seen the video. */
  blind: boolean;
  /** The answer is to break the schema. */
  violating: boolean;
  /** The model does as any text tells it. */
  obeying: boolean;
};

/** The model's answer. The same evidence and the same question give the same text. */
export function writeAnswer(asked: Asked): string {
  const { evidence, schema, promptText, systemText, wantsJson, blind, violating, obeying } = asked;
  const seen = blind ? noEvidence : evidence;
  const told = schemaInPrompt(`${systemText}\n${promptText}`);
  const followed: Schema | undefined = schema ? addConstraints(schema, told) : told;
  const subject = wholeVideo(seen);
  if (!followed) {
    const text = describe(subject, seen) ?? "There is nothing to be seen.";
    return wantsJson ? JSON.stringify({ description: text }) : text;
  }
  const answer = createFill(followed)({ evidence: seen, subject, index: 0, name: [], around: [] });
  const texts = [promptText, ...seen.texts.map(({ text }) => text), ...seen.scenes.map(({ text }) => text ?? "")];
  const obeyed = obeying ? obey(answer, followed, { texts, systemText }) : undefined;
  if (obeyed !== undefined) return obeyed;
  return writeJson(violating ? breakAnswer(answer, followed) : answer);
}
