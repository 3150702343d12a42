import { isJsonObject } from "@video-to-json/contract";
import { parseJson } from "./answer.ts";
import { asSchema, type Schema } from "./schema.ts";

/** Returns the JSON Schema in a prompt: the largest JSON object in it that looks like a schema. */
export function schemaInPrompt(prompt: string): Schema | undefined {
  let found: Schema | undefined;
  let maxLength = 0;
  for (let from = prompt.indexOf("{"); from >= 0; ) {
    const end = endOfObject(prompt, from);
    const value = end === undefined ? undefined : parseJson(prompt.slice(from, end));
    if (end !== undefined && isJsonObject(value)) {
      if (end - from > maxLength && keywords.some((keyword) => keyword in value)) {
        found = value;
        maxLength = end - from;
      }
      from = prompt.indexOf("{", end);
    } else from = prompt.indexOf("{", from + 1);
  }
  return found;
}

const keywords = ["type", "properties", "items", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "$defs"];

/** Returns the end of the object that starts at `from`, or undefined if it has no end. */
function endOfObject(text: string, from: number): number | undefined {
  const token = /"(?:[^"\\\n]|\\.)*"|[{}"]/g;
  token.lastIndex = from;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === '"') return undefined;
    if (match[0] === "{") depth += 1;
    if (match[0] === "}") depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return undefined;
}

const constraints = [
  ...["pattern", "format", "minLength", "maxLength", "const", "minimum", "maximum", "exclusiveMinimum"],
  ...["exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "enum"],
];
const maxDepth = 60;

/**
 * Returns a schema with the constraints that a fuller schema has at the same positions. A model also follows the schema
 * in its prompt, which has constraints that the response schema cannot express.
 */
export function addConstraints(node: unknown, fuller: unknown, depth = 0): Schema {
  const schema = asSchema(node);
  if (!isJsonObject(fuller) || depth > maxDepth) return schema;
  const merged: Schema = { ...schema };
  for (const keyword of constraints) if (Object.hasOwn(fuller, keyword)) merged[keyword] ??= fuller[keyword];
  for (const keyword of ["properties", "$defs"] as const) {
    const [mine, theirs] = [schema[keyword], fuller[keyword]];
    if (!isJsonObject(mine) || !isJsonObject(theirs)) continue;
    const entries = Object.entries(mine).map(([name, inside]) => {
      const both = Object.hasOwn(theirs, name) && isJsonObject(inside);
      return [name, both ? addConstraints(inside, theirs[name], depth + 1) : inside];
    });
    merged[keyword] = Object.fromEntries(entries);
  }
  if (isJsonObject(schema.items) && isJsonObject(fuller.items))
    merged.items = addConstraints(schema.items, fuller.items, depth + 1);
  return merged;
}
