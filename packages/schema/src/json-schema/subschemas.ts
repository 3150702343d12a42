import { isJsonObject } from "@video-to-json/contract";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { type Dialect, isSince } from "./plain-schema.ts";

type Holding = "schema" | "list" | "map";

const holders: Record<string, { holds: readonly Holding[]; since: Dialect; until?: Dialect }> = {
  not: { holds: ["schema"], since: "draft-04" },
  additionalProperties: { holds: ["schema"], since: "draft-04" },
  additionalItems: { holds: ["schema"], since: "draft-04", until: "2019-09" },
  items: { holds: ["schema", "list"], since: "draft-04" },
  contains: { holds: ["schema"], since: "draft-06" },
  propertyNames: { holds: ["schema"], since: "draft-06" },
  if: { holds: ["schema"], since: "draft-07" },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { holds: ["schema"], since: "draft-07" },
  else: { holds: ["schema"], since: "draft-07" },
  unevaluatedItems: { holds: ["schema"], since: "2019-09" },
  unevaluatedProperties: { holds: ["schema"], since: "2019-09" },
  contentSchema: { holds: ["schema"], since: "2019-09" },
  prefixItems: { holds: ["list"], since: "2020-12" },
  allOf: { holds: ["list"], since: "draft-04" },
  anyOf: { holds: ["list"], since: "draft-04" },
  oneOf: { holds: ["list"], since: "draft-04" },
  properties: { holds: ["map"], since: "draft-04" },
  patternProperties: { holds: ["map"], since: "draft-04" },
  dependencies: { holds: ["map"], since: "draft-04" },
  definitions: { holds: ["map"], since: "draft-04" },
  $defs: { holds: ["map"], since: "draft-04" },
  dependentSchemas: { holds: ["map"], since: "2019-09" },
};

/** Returns whether a value is a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return isJsonObject(value);
}

/** Returns whether a value can be a schema: an object or a boolean. */
export function isSchema(value: JsonValue | undefined): value is JsonObject | boolean {
  return typeof value === "boolean" || isObject(value);
}

/** Returns the subschemas directly inside a schema, under the keywords of its dialect only. Booleans are left out. */
export function* subschemas(schema: JsonObject, dialect: Dialect): Generator<JsonObject> {
  for (const keyword of Object.keys(schema)) {
    const holder = Object.hasOwn(holders, keyword) ? holders[keyword] : undefined;
    if (!holder || !isSince(dialect, holder.since)) continue;
    if (holder.until && dialect !== holder.until && isSince(dialect, holder.until)) continue;
    const value = schema[keyword];
    if (Array.isArray(value)) {
      if (holder.holds.includes("list")) yield* value.filter(isObject);
    } else if (isObject(value)) {
      if (holder.holds.includes("schema")) yield value;
      else if (holder.holds.includes("map")) yield* Object.values(value).filter(isObject);
    }
  }
}
