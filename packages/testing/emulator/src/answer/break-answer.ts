import { isJsonObject } from "@video-to-json/contract";
import type { Answer } from "./answer.ts";
import { resolveSchema, type Schema, typesOf } from "./schema.ts";

/** Returns the answer with wrong types and without a required key, so that it violates the schema. */
export function breakAnswer(answer: Answer, root: Schema): Answer {
  const schema = resolveSchema(root, root);
  if (!(answer instanceof Map) || !isJsonObject(schema.properties)) return wrongValue(schema);
  const broken = new Map(answer);
  for (const name of broken.keys()) {
    const node = isJsonObject(schema.properties) ? schema.properties[name] : undefined;
    if (node !== undefined) broken.set(name, wrongValue(resolveSchema(node, root)));
  }
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
