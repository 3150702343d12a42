import { timestampKeys, typeOf } from "@video-to-json/contract/sketch-language/words";
import { shorten } from "../json/well-formed.ts";
import { readValue } from "../sketch/read-value.ts";
import type { SchemaWarning } from "./schema-warning.ts";

type Doubt = Omit<SchemaWarning, "path">;

const timestampNames: ReadonlySet<string> = new Set(timestampKeys);
// Other spellings of the keys that make a timestamp.
const nearlyTimestamp =
  /^(?:start|end|begin|finish)_?(?:time|at|s_?at|timestamp)?$|^time_?(?:code|stamp)s?$|^(?:at|time|start|end)$/i;
const otherTypes: Readonly<Record<string, string>> = {
  array: '["string"]',
  list: '["string"]',
  object: '{"key": "string"}',
  dict: '{"key": "string"}',
  map: '{"key": "string"}',
  null: '"string?"',
  none: '"string?"',
  double: '"number"',
  numeric: '"number"',
  num: '"number"',
  long: '"integer"',
  bigint: '"integer"',
  duration: '"integer — seconds"',
};

/** Returns whether a key makes a timestamp of a string, free text or a number. */
export function isTimestampKey(name: string): boolean {
  return timestampNames.has(name);
}

/** Returns what is doubtful in a string value of a sketch. `name` is its key, or undefined for an element of an array. */
export function textWarning(text: string, name: string | undefined): Doubt | undefined {
  const written = text.trim();
  const reading = readValue(written);
  if ("error" in reading) return undefined;
  const { place, optional } = reading;
  if (place.kind === "enum") return doubtfulOptions(place.options);
  const isTime = name !== undefined && isTimestampKey(name);
  const description = "description" in place ? place.description : undefined;
  const isTyped = typeOf(/^[a-z]+/i.exec(written)?.[0] ?? "") === place.kind && description !== written;
  const doubt = isTyped || isTime ? undefined : doubtfulDescription(written);
  if (doubt) return doubt;
  if (optional && description?.endsWith("?") && description.includes(" ")) {
    const statement = written.slice(0, -1).trim();
    return {
      message: "The question mark at the end makes this field optional.",
      hint: `for a required field, write ${quoted(isTyped ? statement : `string — ${statement}`)}`,
    };
  }
  if (place.kind === "string" && !isTime && name !== undefined && nearlyTimestamp.test(name)) {
    return {
      message: `The key \`${shorten(name, 40)}\` does not make a time of this text.`,
      hint: 'for a time as MM:SS, write "timestamp"',
    };
  }
  return undefined;
}

function doubtfulOptions(options: readonly string[]): Doubt | undefined {
  const lower = options.map((option) => option.toLowerCase());
  if (lower.every((option) => ["true", "false"].includes(option)))
    return { message: 'The answer is the text "true" or "false".', hint: 'for true or false, write "boolean"' };
  if (options.every((option) => /^-?\d+(?:\.\d+)?$/.test(option)))
    return {
      message: "The answer is one of these numbers as text.",
      hint: 'for a number, write "integer — 1 to 5", or send a JSON Schema with `enum`',
    };
  const word = lower.find(
    (option) =>
      option === "null" || option === "none?" || typeOf(option.replace(/\?$/, "").replace(/\[\]$/, "")) !== undefined,
  );
  if (word !== undefined) {
    const rest = options.filter((option) => option.toLowerCase() !== word);
    return {
      message: `The answer may be the word "${word}".`,
      hint: `if the value may be missing, write ${quoted(`${rest.join("|")}?`)}`,
    };
  }
  if (options.every((option) => /^(["']).*\1$/.test(option)))
    return {
      message: "The quotes are part of each word.",
      hint: `write ${quoted(options.map((option) => option.slice(1, -1)).join("|"))}`,
    };
  return undefined;
}

/** Returns what is doubtful in free text, which describes a string. */
function doubtfulDescription(written: string): Doubt | undefined {
  const word = /^[a-z]+/i.exec(written)?.[0] ?? "";
  const rest = written.slice(word.length).trim();
  const other = otherTypes[written.toLowerCase().replace(/\?$/, "")];
  const asText = `This is a description of a text, not ${/^[aeiou]/i.test(word) ? "an" : "a"} ${shorten(word.toLowerCase(), 40)}.`;
  if (other !== undefined) return { message: asText, hint: `write ${other}` };
  if (/^(?:array|list)\b(?:\s*[<[(]|\s+of\b)/i.test(written))
    return { message: asText, hint: 'write one element in brackets, such as ["string"]' };
  if (/^\[.*\]$/.test(written) || /\[\]$/.test(written))
    return {
      message: "This is a description of a text; the brackets are inside of the quotes.",
      hint: 'write the brackets outside, such as ["string"]',
    };
  const type = typeOf(word);
  const isWordOfEnglish = ["at", "when"].includes(word.toLowerCase()) && !/^\(/.test(rest);
  if (
    type !== undefined &&
    type !== "string" &&
    rest !== "" &&
    !isWordOfEnglish &&
    !rest.startsWith("?") &&
    !/^[-/]\S/.test(rest)
  )
    return {
      message: asText,
      hint: `to ask for ${type === "integer" ? "an integer" : `a ${type}`}, write ${quoted(`${word} — ${rest.replace(/^\((.*)\)$/, "$1")}`)}`,
    };
  if (/^(?:HH:)?MM:SS$|^\d{1,2}:\d{2}(?::\d{2})?$/i.test(written))
    return { message: "This is a description of a text.", hint: 'for a time as MM:SS, write "timestamp"' };
  if (/^(?:true|false)$/i.test(written))
    return { message: "This is a description of a text.", hint: 'for true or false, write "boolean"' };
  if (/^-?\d+(?:\.\d+)?$/.test(written))
    return {
      message: "This is a description of a text.",
      hint: `for a number, write ${written.includes(".") ? '"number"' : '"integer"'}`,
    };
  if (
    /^(?:one of|enum)\b/i.test(written) ||
    (type === undefined && written.length < 100 && /^[\w-]+(?:[/,][\w-]+)+$/.test(written))
  )
    return {
      message: "This is a description of a text; any text is allowed.",
      hint: 'for a choice, write the words between bars, such as "home|away"',
    };
  return undefined;
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, 120));
}
