import { isJsonObject } from "@video-to-json/contract";

/** Returns the direct subschemas of a schema, each with its path: `properties/name`, `anyOf/0`, `items`. */
export function subschemas(schema: Record<string, unknown>): [path: string, subschema: unknown][] {
  const found: [string, unknown][] = [];
  for (const keyword of ["properties", "$defs"]) {
    const inside = schema[keyword];
    if (isJsonObject(inside)) for (const [name, one] of Object.entries(inside)) found.push([`${keyword}/${name}`, one]);
  }
  for (const keyword of ["anyOf", "oneOf", "prefixItems"]) {
    const inside = schema[keyword];
    if (Array.isArray(inside)) for (const [index, one] of inside.entries()) found.push([`${keyword}/${index}`, one]);
  }
  for (const keyword of ["items", "additionalProperties"])
    if (Object.hasOwn(schema, keyword)) found.push([keyword, schema[keyword]]);
  return found;
}
