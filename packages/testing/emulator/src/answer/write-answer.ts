import { type Evidence, noEvidence } from "../evidence/evidence.ts";
import { addConstraints } from "./add-constraints.ts";
import { writeJson } from "./answer.ts";
import { breakAnswer } from "./break-answer.ts";
import { describe } from "./describe.ts";
import { err } from "./errors/err.ts";
import type { ModelError } from "./errors/model-error.ts";
import { wholeVideo } from "./event.ts";
import { createFill } from "./fill.ts";
import { fieldsToFind, findMoments } from "./find-moments.ts";
import { fillFromMarks } from "./marks/fill-from-marks.ts";
import { obeyOrders } from "./obey-orders.ts";
import { schemaInPrompt } from "./prompt-schema.ts";

/** What the model sees of a request, and how it misbehaves. */
export type AnswerRequest = {
  evidence: Evidence;
  /** The response schema. Without it the model follows the schema in the prompt. */
  schema: Record<string, unknown> | undefined;
  promptText: string;
  /** The system instruction. */
  systemText: string;
  wantsJson: boolean;
  /** The model ignores the video. */
  ignoresVideo: boolean;
  /** The answer violates the schema. */
  violatesSchema: boolean;
  /** The model obeys orders in any text, the video's included. */
  obeysOrders: boolean;
  /** How the model errs. */
  errors: readonly ModelError[];
};

/** Returns the model's answer as text. The same request always gets the same answer. */
export function writeAnswer(request: AnswerRequest): string {
  const { schema, promptText, systemText } = request;
  const evidence = request.ignoresVideo ? noEvidence : request.evidence;
  const promptSchema = schemaInPrompt(`${systemText}\n${promptText}`);
  const followed = schema ? addConstraints(schema, promptSchema) : promptSchema;
  const subject = wholeVideo(evidence);
  if (!followed) {
    const description = describe(subject, evidence) ?? "There is nothing to be seen.";
    return request.wantsJson ? JSON.stringify({ description }) : description;
  }
  const toFind = fieldsToFind(followed, promptText);
  const seen = toFind
    ? findMoments(toFind, evidence)
    : evidence.marks
      ? fillFromMarks(followed, evidence.marks)
      : createFill(followed)({ evidence, subject, index: 0, name: [], parentName: [] });
  const question = { schema: followed, durationMs: evidence.durationMs, text: promptText };
  const answer = toFind ? seen : err(seen, request.errors, question);
  if (request.obeysOrders) {
    const { texts, scenes } = evidence;
    const written = [...texts.map(({ text }) => text), ...scenes.map(({ text }) => text ?? "")];
    const obeyed = obeyOrders(answer, followed, { texts: [promptText, ...written], systemText });
    if (obeyed !== undefined) return obeyed;
  }
  return writeJson(request.violatesSchema ? breakAnswer(answer, followed) : answer);
}
