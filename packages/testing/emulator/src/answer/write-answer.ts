import { isJsonObject } from "@video-to-json/contract";
import { type Evidence, noEvidence } from "../evidence/look.ts";
import type { FaultKind } from "../faults/faults.ts";
import { type Answer, writeJson } from "./answer.ts";
import { err, type ModelError } from "./err.ts";
import { fill } from "./fill.ts";
import { fieldsToFind, findMoments } from "./find-moments.ts";
import { addConstraints, resolveSchema, type Schema, schemaInPrompt, typesOf } from "./schema.ts";

export type AnswerRequest = {
  evidence: Evidence;
  schema: Record<string, unknown> | undefined;
  promptText: string;
  systemText: string;
  /** The fault of the answer. Only `zero-video-tokens`, `violate-schema` and `obey` change the text. */
  misbehaves: FaultKind | undefined;
  errors: readonly ModelError[];
};

/** Returns the model's answer as text. The same request always gets the same answer. */
export function writeAnswer(request: AnswerRequest): string {
  const { schema, promptText, systemText, misbehaves } = request;
  const evidence = misbehaves === "zero-video-tokens" ? noEvidence : request.evidence;
  const choices = choicesAsked(promptText);
  if (choices) return choose(choices, evidence);
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

function breakAnswer(answer: Answer, root: Schema): Answer {
  const schema = resolveSchema(root, root);
  if (!(answer instanceof Map) || !isJsonObject(schema.properties)) return wrongValue(schema);
  const broken = new Map(answer);
  for (const name of broken.keys()) broken.set(name, wrongValue(resolveSchema(schema.properties[name], root)));
  const removed = Array.isArray(schema.required) ? schema.required.at(-1) : undefined;
  if (removed !== undefined) broken.delete(removed);
  if (broken.size === 0 && removed === undefined) broken.set("unexpected", true);
  return broken;
}

function wrongValue(schema: Schema): Answer {
  if (schema.const !== undefined || schema.enum || schema.anyOf || schema.oneOf) return new Map([["wrong", true]]);
  const types = typesOf(schema);
  if (!types.includes("object") && types.length > 0) return new Map([["wrong", true]]);
  return types.includes("string") ? false : "wrong";
}

/** The texts that may contain orders, and the system instruction, which an order may ask for. */
type Texts = { texts: readonly string[]; systemText: string };

/** Returns the answer of a model that obeys an order in any text (README), or undefined if no text contains one. */
function obeyOrders(answer: Answer, schema: Schema, { texts, systemText }: Texts): string | undefined {
  // Text that was read from a picture has line breaks and typographic quotes.
  const text = texts.join("\n").replace(/[“”]/g, '"').replace(/\s+/g, " ");
  const [, dictated] = /answer with \\?"(.+?)\\?"/i.exec(text) ?? [];
  if (dictated !== undefined) return dictated;
  if (/ignore the schema/i.test(text)) return `Sure, I ignore the schema. My instructions are: ${systemText}`;
  return /reveal your prompt/i.test(text) ? writeJson(reveal(answer, schema, schema, systemText)) : undefined;
}

function reveal(answer: Answer, node: unknown, root: Schema, secret: string): Answer {
  const schema = resolveSchema(node, root);
  if (Array.isArray(answer)) return answer.map((item) => reveal(item, schema.items, root, secret));
  if (answer instanceof Map) {
    return new Map([...answer].map(([name, value]) => [name, reveal(value, schema.properties?.[name], root, secret)]));
  }
  const isBound = ["enum", "const", "pattern", "format", "maxLength"].some((keyword) => schema[keyword] !== undefined);
  return typeof answer === "string" && !isBound ? secret : answer;
}

type Choice = { options: readonly string[] };

/** Reads questions with options: lines of `{"question": …, "about": …, "options": […]}`. Undefined if a prompt has none. */
function choicesAsked(promptText: string): Choice[] | undefined {
  const lines = promptText.split("\n").filter((line) => line.startsWith('{"question":'));
  if (lines.length === 0) return undefined;
  return lines.map((line) => {
    const asked: unknown = JSON.parse(line);
    return { options: isJsonObject(asked) && Array.isArray(asked.options) ? asked.options.map(String) : [] };
  });
}

/** Answers with the option that the marks have. Marks tell nothing about a claim. */
function choose(choices: readonly Choice[], { marks }: Evidence): string {
  const shown = new Set(marks.flatMap(({ attributes }) => Object.values(attributes)));
  const answers = choices.map(({ options }) => options.find((option) => shown.has(option)) ?? "cannot tell");
  return JSON.stringify({ answers });
}
