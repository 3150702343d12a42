import { type Evidence, noEvidence } from "../evidence/evidence.ts";
import type { FaultKind } from "../faults/fault.ts";
import { writeJson } from "./answer.ts";
import { err } from "./err.ts";
import { fill } from "./fill.ts";
import { fieldsToFind, findMoments } from "./find-moments.ts";
import { breakAnswer, obeyOrders } from "./misbehave.ts";
import type { ModelError } from "./model-error.ts";
import { addConstraints, schemaInPrompt } from "./prompt-schema.ts";

/** What the model sees of a request, and how it misbehaves. */
export type AnswerRequest = {
  evidence: Evidence;
  /** The response schema. Without it the model follows the schema in the prompt. */
  schema: Record<string, unknown> | undefined;
  promptText: string;
  /** The system instruction. */
  systemText: string;
  /** The fault of the answer. Only `zero-video-tokens`, `violate-schema` and `obey` change the text. */
  misbehaves: FaultKind | undefined;
  /** How the model errs. */
  errors: readonly ModelError[];
};

/** Returns the model's answer as text. The same request always gets the same answer. */
export function writeAnswer(request: AnswerRequest): string {
  const { schema, promptText, systemText, misbehaves } = request;
  const evidence = misbehaves === "zero-video-tokens" ? noEvidence : request.evidence;
  const promptSchema = schemaInPrompt(`${systemText}\n${promptText}`);
  const followed = schema ? addConstraints(schema, promptSchema) : promptSchema;
  if (!followed) return evidence.marks[0]?.attributes.summary ?? "There is nothing to be seen.";
  const toFind = fieldsToFind(followed, promptText);
  const question = { schema: followed, durationMs: evidence.durationMs, text: promptText };
  const answer = toFind ? findMoments(toFind, evidence) : err(fill(followed, evidence), request.errors, question);
  if (misbehaves === "obey") {
    const written = evidence.marks.flatMap(({ via, attributes }) => (via === "text" ? Object.values(attributes) : []));
    const obeyed = obeyOrders(answer, followed, { texts: [promptText, ...written], systemText });
    if (obeyed !== undefined) return obeyed;
  }
  return writeJson(misbehaves === "violate-schema" ? breakAnswer(answer, followed) : answer);
}
