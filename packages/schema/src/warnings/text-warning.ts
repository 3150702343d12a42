import { timestampKeys, typeOf } from "@video-to-json/contract/sketch-language/words";
import { shorten } from "../json/texts.ts";
import { readValue } from "../sketch/read-value.ts";
import { doubtfulDescription } from "./doubtful-description.ts";
import { type Doubt, quoted } from "./schema-warning.ts";

const absent: ReadonlySet<string> = new Set(["null", "none", "undefined", "optional", "missing"]);

/** Returns the doubt about the options of a sketch, such as those of `home|away|null`. */
function doubtfulOptions(options: readonly string[]): Doubt | undefined {
  const lower = options.map((option) => option.toLowerCase());
  if (lower.every((option) => ["true", "false"].includes(option)))
    return { message: 'The answer is the text "true" or "false".', hint: 'for true or false, write "boolean"' };
  if (options.every((option) => /^-?\d+(?:\.\d+)?$/.test(option)))
    return {
      message: "The answer is one of these numbers as text.",
      hint: 'for a number, write "integer — 1 to 5", or send a JSON Schema with `enum`',
    };
  if (options.every((option) => /^(["']).*\1$/.test(option)))
    return {
      message: "The quotes are part of each word.",
      hint: `write ${quoted(options.map((option) => option.slice(1, -1)).join("|"))}`,
    };
  const [last = ""] = options.slice(-1);
  if (/\S\s*\([^)]*\)$/.test(last))
    return {
      message: `The last word is ${quoted(last)}, brackets included.`,
      hint: `write ${quoted(`${[...options.slice(0, -1), last.replace(/\s*\([^)]*\)$/, "")].join("|")} — …`)}`,
    };
  return typesAndAbsence(options);
}

function typesAndAbsence(options: readonly string[]): Doubt | undefined {
  const isType = (option: string) => typeOf(option.replace(/(?:\?|\[\])$/, "")) !== undefined;
  const type = options.find(isType);
  const word = type ?? options.find((option) => option.toLowerCase() === "null");
  if (word === undefined) return undefined;
  const words = options.filter((option) => !isType(option) && !absent.has(option.toLowerCase()));
  const mayBeMissing = options.some((option) => absent.has(option.toLowerCase()) || option.endsWith("?"));
  const mark = mayBeMissing ? "?" : "";
  if (words.length === 0)
    return {
      message: `The answer may be the word ${quoted(word)}.`,
      hint: `write ${quoted(`${(type ?? "string").replace(/\?$/, "")}${mark}`)}`,
    };
  return {
    message: `The answer may be the word ${quoted(word)}.`,
    hint:
      type === undefined
        ? `if the value may be missing, write ${quoted(`${words.join("|")}?`)}`
        : `for any text, write ${quoted(`string${mark} — such as ${words.join(", ")}`)}`,
  };
}

const timestampNames: ReadonlySet<string> = new Set(timestampKeys);
// Other spellings of the keys that make a timestamp.
const nearlyTimestamp =
  /^(?:start|end|begin|finish)_?(?:time|at|s_?at|timestamp)?$|^time_?(?:code|stamp)s?$|^(?:at|time|start|end)$/i;
const isYesOrNo = /^(?:is|are|was|were|do|does|did|has|have|can)\b/i;
/** A longer text is a description, even if it begins with a type word. */
const maxJudgedLength = 400;

/** Returns whether a key makes a string, free text or number a timestamp. */
export function isTimestampKey(name: string): boolean {
  return timestampNames.has(name);
}

/** Returns the doubt about a string value of a sketch. `name` is its key, or undefined for an element of an array. */
export function textWarning(text: string, name: string | undefined): Doubt | undefined {
  const written = text.trim();
  if (written.length > maxJudgedLength) return undefined;
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
    const type = isYesOrNo.test(statement) ? "boolean" : "string";
    return {
      message: "The question mark at the end makes this field optional.",
      hint: `for a required field, write ${quoted(isTyped ? statement : `${type} — ${statement}`)}`,
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
