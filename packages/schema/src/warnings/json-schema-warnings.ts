import { jsonSchemaKeys, typeOf } from "@video-to-json/contract/sketch-language/words";
import type { JsonNode } from "../json/read-json.ts";
import { shorten } from "../json/texts.ts";
import { knownKeywords } from "../json-schema/metaschemas.ts";
import type { SchemaWarning } from "./schema-warning.ts";
import { subschemaWarnings } from "./subschema-warnings.ts";

type ObjectNode = Extract<JsonNode, { kind: "object" }>;

// Keywords that other tools add beside those of the dialects.
const foreignKeywords: ReadonlySet<string> = new Set(["example", "nullable", "propertyOrdering", "strict", "name"]);
const nested =
  'if it is a sketch, put it one level deeper, as in {"result": {…}}; if it is a JSON Schema, add `$schema`';

/** Returns the doubts about a JSON Schema, above all whether it is meant as one. */
export function jsonSchemaWarnings(root: ObjectNode): SchemaWarning[] {
  const members = new Map(root.members.map(({ key, value }) => [key, value]));
  const known = knownKeywords();
  const parts = subschemaWarnings(root, (key) => key !== "name" && key !== "strict" && isKeyword(known, key));
  if (members.has("$schema")) return [...sketchUnderDialect(root, members), ...parts];
  return [...unknownKeys(root, members), ...bareValue(members), ...anyObject(members), ...parts];
}

/** `$schema` says that the author wants a JSON Schema. A sketch below it still has no effect. */
function sketchUnderDialect(root: ObjectNode, members: ReadonlyMap<string, JsonNode>): SchemaWarning[] {
  const isTold = jsonSchemaKeys.some((key) => key !== "$schema" && members.has(key));
  return isTold || root.members.some(({ key }) => key !== "$schema" && knownKeywords().has(key))
    ? []
    : unknownKeys(root, members, "for a sketch, leave `$schema` out; for a JSON Schema, name the keys in `properties`");
}

function unknownKeys(root: ObjectNode, members: ReadonlyMap<string, JsonNode>, hint = nested): SchemaWarning[] {
  const known = knownKeywords();
  const looksLikeSketch = ({ key, value }: ObjectNode["members"][number]) =>
    !isKeyword(known, key) ||
    (value.kind === "string" && !/^(?:type|\$.*)$/.test(key) && typeOf(value.value) !== undefined);
  const unknown = [...new Set(root.members.filter(looksLikeSketch).map(({ key }) => key))];
  if (unknown.length === 0) return [];
  const telling = jsonSchemaKeys.find((key) => members.has(key));
  const names = unknown.slice(0, 5).map((key) => `\`${shorten(key, 40)}\``);
  const shown = unknown.length > 5 ? `${names.join(", ")} and ${unknown.length - 5} more` : names.join(", ");
  return [
    {
      path: "",
      message: `The root has \`${telling}\`, so it is read as JSON Schema, where ${shown} ${unknown.length === 1 ? "asks" : "ask"} for nothing.`,
      hint,
    },
  ];
}

function isKeyword(known: ReadonlySet<string>, key: string): boolean {
  return known.has(key) || foreignKeywords.has(key) || key.startsWith("x-") || key.startsWith("$");
}

function bareValue(members: ReadonlyMap<string, JsonNode>): SchemaWarning[] {
  const type = members.get("type");
  const isBare = type?.kind === "string" && !["object", "array"].includes(type.value);
  if (isBare)
    return [{ path: "/type", message: `The whole answer is one ${type.value}, not an object.`, hint: nested }];
  if (type !== undefined || !members.has("enum")) return [];
  return [{ path: "/enum", message: "The whole answer is one value of this list, not an object.", hint: nested }];
}

function anyObject(members: ReadonlyMap<string, JsonNode>): SchemaWarning[] {
  const type = members.get("type");
  if (type?.kind !== "string" || type.value !== "object") return [];
  const properties = members.get("properties");
  const isEmpty = properties === undefined || (properties.kind === "object" && properties.members.length === 0);
  const shapes = ["allOf", "anyOf", "oneOf", "$ref", "patternProperties", "additionalProperties", "required", "if"];
  if (!isEmpty || shapes.some((keyword) => members.has(keyword))) return [];
  return [
    {
      path: "",
      message: "Every object conforms to this schema, also `{}`.",
      hint: "name the wanted keys under `properties` and `required`",
    },
  ];
}
