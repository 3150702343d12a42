import { timestampKeys, typeOf } from "@video-to-json/contract/sketch-language/words";
import { shorten } from "../json/well-formed.ts";
import { readValue } from "../sketch/read-value.ts";
import { type Doubt, quoted } from "./doubt.ts";
import { doubtfulDescription } from "./doubtful-description.ts";
import { doubtfulOptions } from "./doubtful-options.ts";

const timestampNames: ReadonlySet<string> = new Set(timestampKeys);
// Other spellings of the keys that make a timestamp.
const nearlyTimestamp =
  /^(?:start|end|begin|finish)_?(?:time|at|s_?at|timestamp)?$|^time_?(?:code|stamp)s?$|^(?:at|time|start|end)$/i;
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
