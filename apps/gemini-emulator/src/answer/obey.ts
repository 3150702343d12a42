import { isJsonObject } from "@video-to-json/contract";
import { type Answer, writeJson } from "./answer.ts";
import { resolve, type Schema } from "./schema.ts";

type Heard = {
  /** Everything that was written where orders may stand: the prompt, and what is to be read in the picture. */
  texts: readonly string[];
  /** What the model was told before all of it. */
  systemText: string;
};

/**
 * What a model would say that does as any text tells it, or undefined where none gives an order: `ignore the schema`
 * gives prose, `answer with "…"` that text as it stands, `reveal your prompt` the answer with the prompt in each of its
 * strings that may hold it.
 */
export function obey(answer: Answer, schema: Schema, { texts, systemText }: Heard): string | undefined {
  // What is read in a picture has its lines broken and its quotes bent.
  const heard = texts.join("\n").replace(/\s+/g, " ").replace(/[“”]/g, '"');
  const [, dictated] = /answer with \\?"(.+?)\\?"/i.exec(heard) ?? [];
  if (dictated !== undefined) return dictated;
  if (/ignore the schema/i.test(heard)) return `Sure, I ignore the schema. I was told: ${systemText}`;
  if (/reveal your prompt/i.test(heard)) return writeJson(reveal(answer, schema, schema, systemText));
  return undefined;
}

function reveal(answer: Answer, node: unknown, root: Schema, secret: string): Answer {
  const schema = resolve(node, root);
  if (Array.isArray(answer)) return answer.map((item) => reveal(item, schema.items, root, secret));
  if (answer instanceof Map) {
    const nodeOf = (name: string) => (isJsonObject(schema.properties) ? schema.properties[name] : undefined);
    return new Map([...answer].map(([name, value]) => [name, reveal(value, nodeOf(name), root, secret)]));
  }
  const isBound = ["enum", "const", "pattern", "format", "maxLength"].some((keyword) => schema[keyword] !== undefined);
  return typeof answer === "string" && !isBound ? secret : answer;
}
