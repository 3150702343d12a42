import { type SketchType, typeOf } from "@video-to-json/contract/sketch-language/words";
import type { JsonNode } from "../json/read-json.ts";
import { shorten } from "../json/texts.ts";
import { readValue } from "./read-value.ts";
import { sketchTexts } from "./sketch.ts";

const arrayMark = /^([a-z]+)(?:\s*(\?))?\s*((?:\[\s*\]\s*)+)(\?)?(.*)$/is;
const separator = /^\s*(?:—|--|-|\/\/|:)\s*/;

/**
 * Returns the parts of a sketch that are never meant literally, as `<JSON pointer>: <what to write instead>`
 * (docs/decisions/0001, "Sketch guards"). It checks new schemas only: a job in flight keeps the meaning that its schema
 * had at admission.
 */
export function refusedTexts(root: JsonNode): string[] {
  return [...sketchTexts(root)].flatMap(({ at, text }) => {
    const reason = refusedArray(text.trim()) ?? refusedOptions(text);
    return reason === undefined ? [] : [`${at}: ${reason}`];
  });
}

function refusedArray(text: string): string | undefined {
  const [, word = "", markBefore, brackets = "", markAfter, rest = ""] = arrayMark.exec(text) ?? [];
  if (typeOf(word) === undefined) return undefined;
  const description = separator.test(rest) ? ` — ${rest.replace(separator, "")}` : "";
  const mark = (markBefore ?? markAfter) ? ", and put the `?` on the key" : "";
  return `write ${quoted(`${word}${description}`, brackets.split("[").length - 1)}${mark}; an array is written in brackets, not as ${quoted(text)}`;
}

/** Words of other languages for no value. */
const absent: ReadonlySet<string> = new Set(["null", "none"]);

function refusedOptions(text: string): string | undefined {
  const reading = readValue(text);
  if ("error" in reading || reading.place.kind !== "enum") return undefined;
  const { options, description } = reading.place;
  const types = new Map<SketchType, string>();
  for (const option of options) {
    const type = typeOf(option);
    if (type === undefined && !absent.has(option.toLowerCase())) return undefined;
    if (type !== undefined && !types.has(type)) types.set(type, option);
  }
  // An integer is also a number, so the union means a number.
  if (types.has("number")) types.delete("integer");
  const [word = "string"] = types.values();
  const mayBeMissing = reading.optional || options.some((option) => absent.has(option.toLowerCase()));
  const instead = `${word}${mayBeMissing ? "?" : ""}${description === undefined ? "" : ` — ${description}`}`;
  const several =
    types.size > 1
      ? "a field of a sketch has one type, and a JSON Schema may allow several"
      : "`|` separates the words of an enum, not types";
  return `write ${quoted(instead)}; ${several}`;
}

/** Returns a text in quotes, nested in `arrays` arrays. */
function quoted(text: string, arrays = 0): string {
  const levels = Math.min(arrays, 9);
  return `${"[".repeat(levels)}${JSON.stringify(shorten(text, 80))}${"]".repeat(levels)}`;
}
