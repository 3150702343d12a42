import { isJsonObject } from "@video-to-json/contract";
import type { Answer } from "./answer.ts";
import { resolve, type Schema, typesOf } from "./schema.ts";

/** The same answer, broken so that no schema of this form accepts it: wrong types, and a required key gone. */
export function breakAnswer(answer: Answer, root: Schema): Answer {
  const schema = resolve(root, root);
  if (!(answer instanceof Map) || !isJsonObject(schema.properties)) return wrongFor(schema);
  const broken = new Map(answer);
  for (const name of broken.keys()) {
    const node = isJsonObject(schema.properties) ? schema.properties[name] : undefined;
    if (node !== undefined) broken.set(name, wrongFor(resolve(node, root)));
  }
  const gone = Array.isArray(schema.required) ? schema.required.at(-1) : undefined;
  if (gone !== undefined) broken.delete(gone);
  if (broken.size === 0 && gone === undefined) broken.set("unasked", true);
  return broken;
}

function wrongFor(schema: Schema): Answer {
  if (schema.const !== undefined || schema.enum || schema.anyOf || schema.oneOf) return new Map([["wrong", true]]);
  const types = typesOf(schema);
  if (!types.includes("object") && types.length > 0) return new Map([["wrong", true]]);
  return types.includes("string") ? false : "wrong";
}
