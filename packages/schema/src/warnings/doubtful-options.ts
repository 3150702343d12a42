import { typeOf } from "@video-to-json/contract/sketch-language/words";
import { type Doubt, quoted } from "./doubt.ts";

const absent: ReadonlySet<string> = new Set(["null", "none", "undefined", "optional", "missing"]);

/** Returns the doubt about the options of a sketch, such as those of `home|away|null`. */
export function doubtfulOptions(options: readonly string[]): Doubt | undefined {
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
