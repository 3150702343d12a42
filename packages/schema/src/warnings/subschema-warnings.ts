import { typeOf } from "@video-to-json/contract/sketch-language/words";
import { distance } from "fastest-levenshtein";
import type { JsonNode } from "../json/read-json.ts";
import { childPointer, shorten } from "../json/texts.ts";
import type { SchemaWarning } from "./schema-warning.ts";

type ObjectNode = Extract<JsonNode, { kind: "object" }>;
type Kind = JsonNode["kind"];

/** The keywords that callers misspell, and the kinds of value that each takes. Another kind is another keyword. */
const keywords: Readonly<Record<string, readonly Kind[]>> = {
  ...{ type: ["string", "array"], properties: ["object"], items: ["object", "array", "boolean"] },
  ...{ required: ["array"], enum: ["array"], format: ["string"], pattern: ["string"] },
  ...{ additionalProperties: ["object", "boolean"], anyOf: ["array"], oneOf: ["array"], allOf: ["array"] },
  ...{ description: ["string"], minimum: ["number"], maximum: ["number"], minItems: ["number"], maxItems: ["number"] },
  ...{ minLength: ["number"], maxLength: ["number"], uniqueItems: ["boolean"], prefixItems: ["array"] },
};

/** What other libraries call a keyword. Beside `type`, nobody means another thing. */
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    enum: ["values", "options", "choices", "allowed", "allowedValues"],
    pattern: ["regex", "regexp", "match"],
    items: ["of", "elements", "itemType"],
    properties: ["fields", "attributes", "props"],
    minimum: ["min", "ge", "gte"],
    maximum: ["max", "le", "lte"],
  }).flatMap(([keyword, keys]) => keys.map((key) => [key, keyword])),
);
const lengths: Readonly<Record<string, string>> = { minimum: "minLength", maximum: "maxLength" };

/** Formats of texts that a video does not show, so a model invents them. */
const unseen: ReadonlySet<string> = new Set([
  ...["date-time", "uuid", "email", "idn-email", "uri", "uri-reference", "iri", "iri-reference", "hostname"],
  ...["idn-hostname", "ipv4", "ipv6", "duration", "json-pointer", "relative-json-pointer", "uri-template"],
]);

const maxSubschemas = 2000;
/** People write smaller objects. Hostile ones would cost seconds. */
const maxComparisons = 10_000;

/**
 * Returns the doubts about the subschemas of a JSON Schema: misspelt keywords, a sketch where a schema belongs, `nullable`
 * of OpenAPI 3.0, and required formats that no video shows.
 */
export function subschemaWarnings(root: ObjectNode, isKnown: (key: string) => boolean): SchemaWarning[] {
  const found: SchemaWarning[] = [];
  const waiting: Place[] = [{ node: root, at: "", isRoot: true }];
  for (const place of waiting) {
    if (waiting.length > maxSubschemas) break;
    const { node, at } = place;
    const spelling = misspelt(node, at, isKnown);
    found.push(...(spelling.length > 0 ? spelling : sketchedPart(place, isKnown)));
    found.push(...optional(node, at), ...nullable(node, at), ...unseenParts(node, at), ...misspeltRequired(node, at));
    waiting.push(...subschemasOf(node, at));
  }
  return found;
}

type Place = { node: ObjectNode; at: string; isRoot?: boolean };

const maps: ReadonlySet<string> = new Set([
  "properties",
  "$defs",
  "definitions",
  "patternProperties",
  "dependentSchemas",
]);
const lists: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems", "items"]);
const single: ReadonlySet<string> = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains"]);

function subschemasOf(node: ObjectNode, at: string): Place[] {
  return node.members.flatMap(({ key, value }): Place[] => {
    const path = childPointer(at, key);
    if (maps.has(key) && value.kind === "object")
      return value.members.flatMap((member) => placeOf(member.value, childPointer(path, member.key)));
    if (lists.has(key) && value.kind === "array")
      return value.items.flatMap((item, index) => placeOf(item, childPointer(path, index)));
    return single.has(key) ? placeOf(value, path) : [];
  });
}

function placeOf(node: JsonNode, at: string): Place[] {
  return node.kind === "object" ? [{ node, at }] : [];
}

/** A subschema whose members are all unknown asks for nothing. Most are sketches. */
function sketchedPart({ node, at, isRoot }: Place, isKnown: (key: string) => boolean): SchemaWarning[] {
  const isOfSketch = ({ key, value }: ObjectNode["members"][number]) =>
    (!isKnown(key) && !nearest(key)) || (!/^(?:type|format|\$.*)$/.test(key) && isTypeWord(value));
  if (isRoot || node.members.length === 0 || !node.members.every(isOfSketch)) return [];
  const names = node.members.slice(0, 5).map(({ key }) => `\`${shorten(key, 40)}\``);
  const hint = 'name the keys in `properties`; for a sketch, put the whole one level deeper, as in {"result": {…}}';
  return [{ path: at, message: `This is a JSON Schema, where ${names.join(", ")} ask for nothing.`, hint }];
}

/** Libraries write titles in capitals, such as "Text". */
function isTypeWord(value: JsonNode): boolean {
  return value.kind === "string" && value.value === value.value.toLowerCase() && typeOf(value.value) !== undefined;
}

function misspelt(node: ObjectNode, at: string, isKnown: (key: string) => boolean): SchemaWarning[] {
  return node.members.flatMap(({ key, value }): SchemaWarning[] => {
    const synonym = synonyms.get(key);
    const isOfText = node.members.some((member) => member.key === "type" && isText(member.value));
    const meant = isKnown(key) ? undefined : (isOfText && lengths[synonym ?? ""]) || (synonym ?? nearest(key));
    if (meant === undefined || !keywords[meant]?.includes(value.kind)) return [];
    if (node.members.some((member) => member.key === meant)) return [];
    const message = `\`${shorten(key, 40)}\` is not a keyword of JSON Schema, and has no effect.`;
    return [{ path: childPointer(at, key), message, hint: `write \`${meant}\`` }];
  });
}

function isText(node: JsonNode): boolean {
  return node.kind === "string" && node.value === "string";
}

/** Returns the keyword within two letters, or one letter for a short one. */
function nearest(key: string): string | undefined {
  if (key.length > 24) return undefined;
  const plain = key.toLowerCase();
  return Object.keys(keywords).find(
    (keyword) => distance(plain, keyword.toLowerCase()) <= (keyword.length > 5 ? 2 : 1),
  );
}

function optional(node: ObjectNode, at: string): SchemaWarning[] {
  const member = node.members.find(({ key, value }) => key === "optional" && value.kind === "boolean");
  if (!member) return [];
  const message = "`optional` is not a keyword of JSON Schema, and has no effect.";
  return [{ path: childPointer(at, "optional"), message, hint: "leave the key out of `required`" }];
}

function nullable(node: ObjectNode, at: string): SchemaWarning[] {
  const member = node.members.find(({ key, value }) => key === "nullable" && value.kind === "boolean" && value.value);
  if (!member) return [];
  const message = "`nullable` is a word of OpenAPI 3.0 and has no effect: the value is never null.";
  return [
    {
      path: childPointer(at, "nullable"),
      message,
      hint: 'write "type": ["string", "null"], with the type that you want',
    },
  ];
}

/** A required key that no property has, within two letters of one that has. */
function misspeltRequired(node: ObjectNode, at: string): SchemaWarning[] {
  const member = (name: string) => node.members.find(({ key }) => key === name)?.value;
  const [required, properties] = [member("required"), member("properties")];
  if (required?.kind !== "array" || properties?.kind !== "object") return [];
  const names = properties.members.map(({ key }) => key);
  if (required.items.length * names.length > maxComparisons) return [];
  return required.items.flatMap((item, index): SchemaWarning[] => {
    if (item.kind !== "string" || item.value.length > 40 || names.includes(item.value)) return [];
    const meant = names.find(
      (name) => name.length > 2 && name.length <= 40 && distance(name.toLowerCase(), item.value.toLowerCase()) <= 2,
    );
    if (meant === undefined) return [];
    const message = `\`properties\` has no \`${item.value}\`, so the model invents what it holds.`;
    return [
      { path: childPointer(childPointer(at, "required"), index), message, hint: `write \`${shorten(meant, 40)}\`` },
    ];
  });
}

function unseenParts(node: ObjectNode, at: string): SchemaWarning[] {
  const member = (name: string) => node.members.find(({ key }) => key === name)?.value;
  const [required, properties] = [member("required"), member("properties")];
  if (required?.kind !== "array" || properties?.kind !== "object") return [];
  const names = new Set(required.items.flatMap((item) => (item.kind === "string" ? [item.value] : [])));
  return properties.members.flatMap(({ key, value }): SchemaWarning[] => {
    const format = value.kind === "object" ? value.members.find((part) => part.key === "format")?.value : undefined;
    if (!names.has(key) || format?.kind !== "string" || !unseen.has(format.value)) return [];
    const path = childPointer(childPointer(at, "properties"), key);
    const message = `A video rarely shows a \`${format.value}\`, and the key is required, so the model invents one.`;
    return [{ path, message, hint: `leave \`${shorten(key, 40)}\` out of \`required\`` }];
  });
}
