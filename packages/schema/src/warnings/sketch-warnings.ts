import { typeOf } from "@video-to-json/contract/sketch-language/words";
import type { JsonMember, JsonNode } from "../json/read-json.ts";
import { childPointer, shorten } from "../json/texts.ts";
import { knownKeywords } from "../json-schema/metaschemas.ts";
import { readValue } from "../sketch/read-value.ts";
import { sketchTexts } from "../sketch/sketch.ts";
import type { SchemaWarning } from "./schema-warning.ts";
import { isTimestampKey, textWarning } from "./text-warning.ts";

type ObjectNode = Extract<JsonNode, { kind: "object" }>;

// Keywords of JSON Schema that are unusual keys of an answer. Without a key that makes a JSON Schema, they have no
// effect.
const schemaOnlyKeys = [
  "definitions",
  "required",
  "additionalProperties",
  "patternProperties",
  "const",
  "not",
  "if",
  "minProperties",
  "unevaluatedProperties",
];
// The key under which other APIs take a JSON Schema that has a name.
const wrapperKeys: ReadonlySet<string> = new Set(["schema", "json_schema", "parameters", "input_schema"]);
/** A longer key is not one of a person, and costs time. */
const maxJudgedKey = 100;
/** The keys under which languages like JSON Schema name a type. */
const typeKeys = ["type", "$type", "_type", "datatype", "dataType"];
const schemaTypes: ReadonlySet<string> = new Set(["array", "object", "null"]);

/** Returns the doubts about a sketch: places that mean something else to most readers. */
export function sketchWarnings(root: ObjectNode): SchemaWarning[] {
  const wrapped = root.members.find(({ key, value }) => wrapperKeys.has(key) && isSchemaOfObject(value));
  const [only] = root.members;
  const isAlone = root.members.length === 1 && only?.value.kind === "object" && wrapperKeys.has(only.key);
  const wrapper = wrapped ?? (isAlone ? only : undefined);
  if (wrapper) return [wrapperWarning(root, wrapper.key)];
  const texts = [...sketchTexts(root)].flatMap(({ at, name, text }): SchemaWarning[] => {
    const found = textWarning(text, name);
    return found ? [{ path: at, ...found }] : [];
  });
  const schemaKey = root.members.find(({ key, value }) => schemaOnlyKeys.includes(key) && value.kind !== "string");
  const whole: SchemaWarning[] = schemaKey
    ? [
        {
          path: childPointer("", schemaKey.key),
          message: `The root is read as a sketch, where \`${schemaKey.key}\` is a key of the answer.`,
          hint: "if this is a JSON Schema, add `$schema` or `type`",
        },
      ]
    : [];
  return [...whole, ...structureWarnings(root, ""), ...texts];
}

function isSchemaOfObject(node: JsonNode): boolean {
  return (
    node.kind === "object" &&
    node.members.some(({ key, value }) => key === "properties" && value.kind === "object" && value.members.length > 0)
  );
}

function wrapperWarning(root: ObjectNode, key: string): SchemaWarning {
  const keys = root.members.slice(0, 5).map((member) => `\`${shorten(member.key, 40)}\``);
  return {
    path: childPointer("", key),
    message: `The schema is inside of \`${key}\`, so the root is read as a sketch with ${keys.length === 1 ? "the key" : "the keys"} ${keys.join(", ")}.`,
    hint: `send the value of \`${key}\` alone`,
  };
}

function structureWarnings(node: JsonNode, at: string): SchemaWarning[] {
  if (node.kind === "array") {
    const [item] = node.items;
    if (item?.kind === "object" && looksLikeJsonSchema(item)) {
      const field = item.members.find(({ key, value }) => /^(?:name|key|field)$/.test(key) && isWord(value))?.value;
      const name = field?.kind === "string" ? field.value : undefined;
      if (name !== undefined || item.members.length === 1) return [schemaLeaf(name, item, childPointer(at, 0))];
    }
    return [...arrayWarnings(node.items, at), ...(item ? structureWarnings(item, childPointer(at, 0)) : [])];
  }
  if (node.kind !== "object") return [];
  const likeSchemas = node.members.filter(({ value }) => looksLikeJsonSchema(value));
  const isMap = likeSchemas.length > 1 && likeSchemas.length === node.members.length;
  if (isMap) return [propertiesMap(likeSchemas, at)];
  return node.members.flatMap(({ key, value }): SchemaWarning[] => {
    const path = childPointer(at, key);
    if (looksLikeJsonSchema(value)) return [schemaLeaf(key, value, path)];
    return [...emptyWarnings(value, path), ...keyWarnings(key, value, path), ...structureWarnings(value, path)];
  });
}

/** A name such as `title`, which says nothing about a value. */
const isWord = (node: JsonNode) =>
  node.kind === "string" && /^\w+$/.test(node.value) && typeOf(node.value) === undefined;

function looksLikeJsonSchema(node: JsonNode): node is ObjectNode {
  if (node.kind !== "object") return false;
  const member = (name: string) => node.members.find(({ key }) => key === name)?.value;
  if (node.members.some(isFlag)) return true;
  const type = typeKeys.map(member).find((value) => value?.kind === "string");
  const isType = type?.kind === "string" && (typeOf(type.value) !== undefined || schemaTypes.has(type.value));
  // A key beside it that no schema has, with a type word of its own, makes it a sketch of something that has a type.
  if (isType) return !node.members.some(({ key, value }) => !typeKeys.includes(key) && isOfSketch(key, value));
  const properties = member("properties");
  return (
    properties?.kind === "object" &&
    properties.members.length > 0 &&
    properties.members.every(({ value }) => looksLikeJsonSchema(value))
  );
}

function isFlag({ key, value }: JsonMember): boolean {
  return /^(?:optional|required|nullable)$/.test(key) && value.kind === "boolean";
}

function isOfSketch(key: string, value: JsonNode): boolean {
  return value.kind === "string" && typeOf(value.value) !== undefined && !knownKeywords().has(key);
}

function propertiesMap(members: readonly JsonMember[], at: string): SchemaWarning {
  const [first] = members;
  return {
    path: at,
    message: "Each value here looks like a JSON Schema, and is read as an object with keys such as `type`.",
    hint: `write a sketch, ${leafText(first?.key ?? "", first?.value)}, or a whole JSON Schema with \`type\` and \`properties\` at its root`,
  };
}

function schemaLeaf(key: string | undefined, value: ObjectNode, path: string): SchemaWarning {
  return {
    path,
    message: `This is read as an object with the keys ${value.members
      .slice(0, 5)
      .map((member) => `\`${member.key}\``)
      .join(", ")}.`,
    hint: `for one value, write ${leafText(key, value)}`,
  };
}

function leafText(key: string | undefined, value: JsonNode | undefined): string {
  const type =
    value?.kind === "object" ? value.members.find((member) => typeKeys.includes(member.key))?.value : undefined;
  const word =
    type?.kind === "string" && !schemaTypes.has(type.value)
      ? JSON.stringify(type.value)
      : type?.kind === "string" && type.value === "array"
        ? '["string"]'
        : "{…}";
  return key === undefined ? word : `${JSON.stringify(key)}: ${word}`;
}

function arrayWarnings(items: readonly JsonNode[], path: string): SchemaWarning[] {
  if (items.length < 2 || items.every((item) => kindOf(item) === "timestamp")) return [];
  const words = items.map((item) => (item.kind === "string" ? item.value : undefined));
  const isList = words.every((word) => word !== undefined && typeOf(word) === undefined && !/[\s|?]/.test(word));
  return [
    {
      path,
      message: `Only the first element says what the array holds; the other ${items.length === 2 ? "one is" : `${items.length - 1} are`} ignored.`,
      hint: isList
        ? `for one of these words, write ${JSON.stringify(words.join("|"))}; for several of them, [${JSON.stringify(words.join("|"))}]`
        : "write one element; for an object with several keys, write {…}",
    },
  ];
}

/** Nobody pays for an object without keys, and who writes an empty list rarely means strings. */
function emptyWarnings(value: JsonNode, path: string): SchemaWarning[] {
  if (value.kind === "array" && value.items.length === 0) {
    return [
      {
        path,
        message: "This is an array of strings.",
        hint: 'write what it holds: ["string"], or [{"key": "string"}]',
      },
    ];
  }
  if (value.kind !== "object" || value.members.length > 0) return [];
  return [{ path, message: "This is an object without keys.", hint: 'write its keys, such as {"key": "string"}' }];
}

function keyWarnings(key: string, value: JsonNode, path: string): SchemaWarning[] {
  const name = key.endsWith("?") ? key.slice(0, -1) : key;
  if (name.trim() === "") return [{ path, message: "The key has no name.", hint: "write a name for it" }];
  if (/^(?:\.{3}|…|\*)$/.test(name)) {
    return [
      {
        path,
        message: "This is read as a key with this name.",
        hint: "write every key that you want, and leave this one out",
      },
    ];
  }
  const isMarked = name.length <= maxJudgedKey && /^(?:<.+>|\[.+\]|\{.+\}|\$\{.+\})$/.test(name);
  if (isMarked || (name === "0" && value.kind === "object")) {
    const hint = 'for names that vary, write a list such as [{"name": "string", "value": "string"}]';
    return [{ path, message: "This placeholder is read as a key with this name.", hint }];
  }
  const bare = name.length > maxJudgedKey ? name : name.replace(/\s*(?:\[\]|\((?:list|array)(?: of \w+)?\))$/i, "");
  if (bare !== name) {
    const hint = `write ${JSON.stringify(bare)}: [ … ]`;
    return [{ path, message: "The brackets are part of the key.", hint }];
  }
  const marked = name.length <= maxJudgedKey && /^(.+?)\s*(?:[*!]|\((?:required|optional)\)|:\s*[a-z]+)$/i.exec(name);
  if (marked) return [{ path, message: "The marks are part of the key.", hint: `write ${JSON.stringify(marked[1])}` }];
  const isUnit = value.kind === "string" && /^(?:milli)?(?:s|secs?|seconds?)$|^ms$/i.test(value.value);
  if (!isTimestampKey(name) || (!isUnit && !/^(?:number|integer)$/.test(kindOf(value) ?? ""))) return [];
  return [
    {
      path,
      message: `The key \`${name}\` makes this a time such as "01:30", not a number.`,
      hint: `for a number, use another key, such as "${name}_seconds"`,
    },
  ];
}

/** Returns what kind of value a place of a sketch asks for. */
function kindOf(node: JsonNode): string | undefined {
  if (node.kind !== "string") return node.kind;
  const reading = readValue(node.value);
  return "error" in reading ? undefined : reading.place.kind;
}
