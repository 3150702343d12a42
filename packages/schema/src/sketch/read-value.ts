import { typeOf } from "@video-to-json/contract/sketch-language/words";
import type { SketchPlace } from "./sketch.ts";

/** The meaning of a string in a sketch, or the reason why it is invalid. */
export type ValueReading = { place: SketchPlace; optional: boolean } | { error: string };

// A type word, an optional mark if any, then the end or a separator. `-` needs white space on one side, because
// `time-lapse` is a description.
const typed = /^([a-z]+)(?:\s*(\?))?(?:\s*(?:—|--|\/\/|:)\s*(.*)|(?:\s+-\s*|-\s+)(.*))?$/is;
const enumDescription = /\s(?:—|--|\/\/)\s/;

/**
 * Reads a string value of a sketch (specification, "Schema input"; docs/decisions/0001, "Schema input"): a type word
 * with or without a description, options such as `a|b|c`, or any other text, which describes a string. A `?` after the
 * type word, after the options or at the end marks the field optional. Free text keeps its question mark.
 */
export function readValue(text: string): ValueReading {
  const written = text.trim();
  return readTyped(written) ?? readOptions(written) ?? readDescription(written);
}

function readTyped(written: string): ValueReading | undefined {
  const parts = typed.exec(written);
  const kind = typeOf(parts?.[1] ?? "");
  if (!parts || !kind) return undefined;
  const description = parts[3] ?? parts[4] ?? "";
  const optional = parts[2] !== undefined || written.endsWith("?");
  return { place: describe({ kind }, description === "?" ? "" : description), optional };
}

function readOptions(written: string): ValueReading | undefined {
  const split = enumDescription.exec(written);
  const head = (split ? written.slice(0, split.index) : written).trim();
  if (!head.includes("|")) return undefined;
  const description = split ? written.slice(split.index + split[0].length) : "";
  const marked = head.endsWith("?");
  const options = (marked ? head.slice(0, -1) : head).split("|").map((option) => option.trim());
  if (options.includes(""))
    return { error: "an option of the enum is empty; write each as text between bars, `a|b|c`" };
  return {
    place: describe({ kind: "enum", options: [...new Set(options)] }, description),
    optional: marked || written.endsWith("?"),
  };
}

function readDescription(written: string): ValueReading {
  const optional = written.endsWith("?");
  return { place: describe({ kind: "string" }, written === "?" ? "" : written), optional };
}

function describe<Place extends SketchPlace>(place: Place, description: string): Place {
  const text = description.trim();
  return text === "" ? place : { ...place, description: text };
}
