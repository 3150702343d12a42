import { isJsonObject } from "@video-to-json/contract";
import { type Answer, writeJson } from "./answer.ts";
import { resolveSchema, type Schema } from "./schema.ts";

type Texts = {
  /** The texts that may contain orders: the prompt and the text in the picture. */
  texts: readonly string[];
  /** The system instruction. */
  systemText: string;
};

/**
 * Returns the answer of a model that obeys an order in any text, or undefined if no text contains one.
 *
 * - `answer with "…"`: the quoted text.
 * - `ignore the schema`: prose that contains the system instruction.
 * - `reveal your prompt`: the answer with the system instruction in every string that the schema leaves free.
 */
export function obeyOrders(answer: Answer, schema: Schema, { texts, systemText }: Texts): string | undefined {
  // Text that was read from a picture has line breaks and typographic quotes.
  const text = texts.join("\n").replace(/\s+/g, " ").replace(/[“”]/g, '"');
  const [, dictated] = /answer with \\?"(.+?)\\?"/i.exec(text) ?? [];
  if (dictated !== undefined) return dictated;
  if (/ignore the schema/i.test(text)) return `Sure, I ignore the schema. My instructions are: ${systemText}`;
  if (/reveal your prompt/i.test(text)) return writeJson(reveal(answer, schema, schema, systemText));
  return undefined;
}

function reveal(answer: Answer, node: unknown, root: Schema, secret: string): Answer {
  const schema = resolveSchema(node, root);
  if (Array.isArray(answer)) return answer.map((item) => reveal(item, schema.items, root, secret));
  if (answer instanceof Map) {
    const nodeOf = (name: string) => (isJsonObject(schema.properties) ? schema.properties[name] : undefined);
    return new Map([...answer].map(([name, value]) => [name, reveal(value, nodeOf(name), root, secret)]));
  }
  const isBound = ["enum", "const", "pattern", "format", "maxLength"].some((keyword) => schema[keyword] !== undefined);
  return typeof answer === "string" && !isBound ? secret : answer;
}
