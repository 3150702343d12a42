import { typeOf } from "@video-to-json/contract/sketch-language/words";
import { shorten } from "../json/texts.ts";
import { type Doubt, quoted } from "./schema-warning.ts";

const aMoment = '"timestamp" for a time in the video, or "string — a date such as 2030-01-31"';
const otherTypes: Readonly<Record<string, string>> = {
  array: '["string"]',
  list: '["string"]',
  object: '{"key": "string"}',
  dict: '{"key": "string"}',
  map: '{"key": "string"}',
  any: '"string"',
  json: '{"key": "string"}',
  null: '"string?"',
  none: '"string?"',
  optional: '"string?"',
  double: '"number"',
  numeric: '"number"',
  percentage: '"number — percent"',
  num: '"number"',
  real: '"number"',
  percent: '"number — percent"',
  "%": '"number — percent"',
  ...Object.fromEntries(
    ["long", "bigint", "uint", "short", "byte", "usize", "count"].map((word) => [word, '"integer"']),
  ),
  ...Object.fromEntries(["varchar", "char", "character", "unknown"].map((word) => [word, '"string"'])),
  ...Object.fromEntries(["datetime", "date-time", "time-code", "timecode"].map((word) => [word, aMoment])),
  ...Object.fromEntries(["duration", "seconds", "secs", "s"].map((word) => [word, '"integer — seconds"'])),
  ...Object.fromEntries(["milliseconds", "ms"].map((word) => [word, '"integer — milliseconds"'])),
  minutes: '"integer — minutes"',
  flag: '"boolean"',
  enum: '"a|b" with its words',
  objects: '[{"key": "string"}]',
};
const aText = "This is a description of a text.";

/** Returns the doubt about free text, which describes a string. The first matching rule wins. */
export function doubtfulDescription(written: string): Doubt | undefined {
  for (const rule of rules) {
    const doubt = rule(written);
    if (doubt) return doubt;
  }
  return undefined;
}

const rules = [
  aPlaceholder,
  someCode,
  aMarkedType,
  anotherType,
  severalValues,
  aSpan,
  aReference,
  anArray,
  aMap,
  absence,
  aType,
  aTime,
  aLiteral,
  aCheckedText,
  aQuestion,
  aChoice,
];

function aPlaceholder(written: string): Doubt | undefined {
  const marked = /^(?:\{\{.*\}\}|\$\{.*\}|<([\w .-]+)>)$/.exec(written);
  const isTyped = marked?.[1] !== undefined && typeOf(marked[1].trim()) !== undefined;
  const isWord = /^(?:\.{3}|…|todo|tbd|n\/a|xxx+|placeholder|(?:see|same as|as) above)[.!]?$/i.test(written);
  if (isTyped || (!marked && !isWord)) return undefined;
  return {
    message: "This placeholder is read as a description of a text.",
    hint: 'write a type word, such as "string"',
  };
}

/** Code of other languages and libraries, such as `z.string()`, `Literal["a"]` and `{at, scorer}`. */
function someCode(written: string): Doubt | undefined {
  if (/^(?:interface|class|struct|type)\s+\w+\s*[{=:]|^\{(?:[^{}]*[,:][^{}]*)?\}$/s.test(written))
    return { message: aText, hint: 'write the keys outside of quotes, such as {"key": "string"}' };
  const isCall = /^z\.(?!.*\boptional\b)\w+\(|^(?:literal|option|union|annotated|maybe)\s*[<[(]|^Maybe [A-Z]\w*$/i;
  if (!isCall.test(written)) return undefined;
  return { message: aText, hint: 'write "string", "a|b" for a choice, or "string?" for what may be missing' };
}

/** Types of other languages and in marks, such as `String!`, `<string>`, `?string` and `'string'`. */
function aMarkedType(written: string): Doubt | undefined {
  const [, open, word = "", close] = /^([<{(?:'"`*_]{0,3})\s*([a-z]+)\s*([>})!;,.?'"`*_]{0,3})$/i.exec(written) ?? [];
  const type = typeOf(word);
  if (type === undefined || (!open && !close)) return undefined;
  return { message: aText, hint: `write ${quoted(`${word.toLowerCase()}${/\?/.test(`${open}${close}`) ? "?" : ""}`)}` };
}

/** A type word in the plural, such as `strings`. */
function severalValues(written: string): Doubt | undefined {
  const [, word = ""] = /^([a-z]+)s$/i.exec(written) ?? [];
  if (typeOf(word) === undefined || /^(?:at|when)$/i.test(word)) return undefined;
  return { message: notA("list"), hint: `write [${quoted(word.toLowerCase())}]` };
}

/** Two times in one text. */
function aSpan(written: string): Doubt | undefined {
  const end = String.raw`(?:\d{1,2}:\d{2}(?::\d{2})?|MM:SS|timestamp|time)`;
  const isSpan = new RegExp(
    String.raw`^${end}\s*(?:-|–|to)\s*${end}$|^start(?:\s*[-–/,]\s*| and )end(?: times?)?$`,
    "i",
  );
  if (!isSpan.test(written)) return undefined;
  return { message: aText, hint: 'for the start and the end, write {"start": "timestamp", "end": "timestamp"}' };
}

function aReference(written: string): Doubt | undefined {
  if (!/^\$?ref\b\s*[:(=]/i.test(written)) return undefined;
  return { message: aText, hint: "write the keys here again; only a JSON Schema has `$ref`" };
}

function anotherType(written: string): Doubt | undefined {
  const word = written.toLowerCase().replace(/\?$/, "");
  const sized = /^(?:u?int|[iu])(?:8|16|32|64)$/.test(word) ? '"integer"' : undefined;
  const instead = otherTypes[word] ?? sized ?? (/^f(?:loat)?(?:32|64)$/.test(word) ? '"number"' : undefined);
  if (instead === undefined) return undefined;
  return { message: notA(written.replace(/\?$/, "")), hint: `write ${instead}` };
}

function anArray(written: string): Doubt | undefined {
  if (/^(?:(?:array|list)\b(?:\s*[<[(]|\s+of\b)|(?:set|tuple|sequence|vec)\s*[<[(])/i.test(written))
    return { message: notA(firstWord(written)), hint: 'write one element in brackets, such as ["string"]' };
  const [, word = ""] = /^([a-z]+)\s+(?:array|list)$/i.exec(written) ?? [];
  if (typeOf(word) !== undefined) return { message: notA("list"), hint: `write [${quoted(word)}]` };
  if (!/^\[.*\]$/.test(written) && !/\[\]$/.test(written)) return undefined;
  return {
    message: `${aText.slice(0, -1)}; the brackets are inside of the quotes.`,
    hint: 'write the brackets outside, such as ["string"]',
  };
}

function aMap(written: string): Doubt | undefined {
  if (!/^(?:(?:dict|map|record|object)\b\s*[<[(]|(?:dict|map) of \w+ to\b)/i.test(written)) return undefined;
  return { message: notA(firstWord(written)), hint: 'write the keys that you want, such as {"key": "string"}' };
}

function absence(written: string): Doubt | undefined {
  const word = written.split(/[^a-z]+/i).find((part) => typeOf(part) !== undefined && !/^(?:at|when)$/i.test(part));
  if (word === undefined || !/\b(?:optional|nullable|or (?:null|none|undefined))\b/i.test(written)) return undefined;
  return { message: "These words do not make the field optional.", hint: `write ${quoted(`${word.toLowerCase()}?`)}` };
}

function aType(written: string): Doubt | undefined {
  const [, word = "", rest = ""] = /^[<{(]?([a-z]+)\b(.*)$/is.exec(written) ?? [];
  const type = typeOf(word);
  const isEnglish = /^(?:at|when)$/i.test(word) && !/^\s*\(/.test(rest);
  const isAnotherWord = /^[-/]\S/.test(rest) || rest.trim().startsWith("?");
  if (type === undefined || type === "string" || isEnglish || isAnotherWord) return undefined;
  const words = rest
    .trim()
    .replace(/^\((.*)\)$/s, "$1")
    .replace(/^[>})\],;.=]\s*/, "");
  const instead = words === "" ? word : `${word} — ${words}`;
  return {
    message: notA(word),
    hint: `to ask for ${type === "integer" ? "an integer" : `a ${type}`}, write ${quoted(instead)}`,
  };
}

function aTime(written: string): Doubt | undefined {
  if (!/\bMM:SS\b/i.test(written) && !/^\d{1,2}:\d{2}(?::\d{2})?$/.test(written)) return undefined;
  return { message: aText, hint: 'for a time as MM:SS, write "timestamp"' };
}

function aLiteral(written: string): Doubt | undefined {
  if (/^(?:true|false)$/i.test(written)) return { message: aText, hint: 'for true or false, write "boolean"' };
  if (/^-?\d+(?:\.\d+)?\s*(?:-|–|\.{2,3}|to)\s*\d+(?:\.\d+)?\s*%?$/.test(written))
    return { message: aText, hint: `for a number, write ${quoted(`number — ${written}`)}` };
  if (!/^-?\d+(?:\.\d+)?$/.test(written)) return undefined;
  return { message: aText, hint: `for a number, write ${written.includes(".") ? '"number"' : '"integer"'}` };
}

/** Rules for a value that a sketch has no words for. */
function aCheckedText(written: string): Doubt | undefined {
  if (/^[<>]=?\s*-?\d+(?:\.\d+)?$/.test(written))
    return { message: aText, hint: `for a number, write ${quoted(`number — ${written}`)}` };
  if (!/^\/.+\/[a-z]*$|^regex\b|^\^.*\$$/i.test(written)) return undefined;
  return {
    message: `${aText} A sketch checks no pattern.`,
    hint: "for a checked text, send a JSON Schema with `pattern`",
  };
}

/** A question whose answer is yes, no or a number. */
function aQuestion(written: string): Doubt | undefined {
  if (/^(?:true if\b|whether\b|(?:yes|no)\/(?:yes|no)\b|is .*\b(?:true|yes) or (?:false|no)$)/i.test(written))
    return { message: aText, hint: `for true or false, write ${quoted(`boolean — ${written}`)}` };
  if (!/^(?:the )?(?:how many\b|count of\b|(?:total )?number of\b|count$)/i.test(written)) return undefined;
  return { message: aText, hint: `for a number, write ${quoted(`integer — ${written}`)}` };
}

function aChoice(written: string): Doubt | undefined {
  const isList =
    written.length < 100 &&
    /^[\w-]+(?:(?:(?:[/,]| \/ )[\w-]+)+|(?:, [\w-]+){2,})$/.test(written) &&
    typeOf(firstWord(written)) === undefined;
  const isChoice = /^(?:either )?[\w-]+(?:(?:, ?| or )[\w-]+)*,? or [\w-]+$/i.test(written);
  if (!isList && !isChoice && !/^(?:one of|enum)\b/i.test(written)) return undefined;
  return {
    message: "This is a description of a text; any text is allowed.",
    hint: 'for a choice, write the words between bars, such as "home|away"',
  };
}

function firstWord(written: string): string {
  return /^[a-z]+/i.exec(written)?.[0] ?? "";
}

function notA(word: string): string {
  return `This is a description of a text, not ${/^[aeiou]/i.test(word) ? "an" : "a"} ${shorten(word.toLowerCase(), 40)}.`;
}
