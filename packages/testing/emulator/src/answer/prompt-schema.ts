import { isJsonObject } from "@video-to-json/contract";
import type { Schema } from "./schema.ts";

/** Returns the JSON Schema in a prompt: the largest JSON object in it that looks like a schema. */
export function schemaInPrompt(prompt: string): Schema | undefined {
  let found: Schema | undefined;
  let maxLength = 0;
  for (let from = prompt.indexOf("{"); from >= 0; ) {
    const end = endOfObject(prompt, from);
    const value = end === undefined ? undefined : parse(prompt.slice(from, end));
    if (end !== undefined && value !== undefined) {
      if (end - from > maxLength && looksLikeSchema(value)) {
        found = value;
        maxLength = end - from;
      }
      from = prompt.indexOf("{", end);
    } else from = prompt.indexOf("{", from + 1);
  }
  return found;
}

const keywords = ["type", "properties", "items", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "$defs"];

function looksLikeSchema(value: unknown): value is Schema {
  if (!isJsonObject(value)) return false;
  const { type, properties } = value;
  const isTyped = typeof type === "string" || Array.isArray(type);
  return (
    isTyped ||
    isJsonObject(properties) ||
    keywords.slice(2).some((keyword) => typeof value[keyword] === "object" || keyword in value)
  );
}

/** Returns the end of the object that starts at `from`, or undefined if it has no end. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at += 1;
      else if (char === '"') inString = false;
      else if (char === "\n") return undefined;
    } else if (char === '"') inString = true;
    else if (char === "{") depth += 1;
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
