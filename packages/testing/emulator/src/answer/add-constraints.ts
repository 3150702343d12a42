import { isJsonObject } from "@video-to-json/contract";
import { asSchema, type Schema } from "./schema.ts";

const constraints = [
  ...["pattern", "format", "minLength", "maxLength", "const", "minimum", "maximum", "exclusiveMinimum"],
  ...["exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "enum"],
];

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
    if (isJsonObject(mine) && isJsonObject(theirs)) merged[keyword] = mergeEach(mine, theirs, depth);
  }
  if (isJsonObject(schema.items) && isJsonObject(fuller.items))
    merged.items = addConstraints(schema.items, fuller.items, depth + 1);
  return merged;
}

const maxDepth = 60;

function mergeEach(mine: object, theirs: Record<string, unknown>, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(mine).map(([name, node]) => {
      return [
        name,
        Object.hasOwn(theirs, name) && isJsonObject(node) ? addConstraints(node, theirs[name], depth + 1) : node,
      ];
    }),
  );
}
