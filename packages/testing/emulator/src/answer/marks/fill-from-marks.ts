import type { Mark } from "../../evidence/evidence.ts";
import { type Answer, toAnswer } from "../answer.ts";
import { optionForUnknown } from "../choose-option.ts";
import { inventNumber, inventString } from "../invent.ts";
import { bound, resolveSchema, type Schema, typesOf } from "../schema.ts";
import { asksForTime, endWords, writeTime } from "../timestamp.ts";
import { hasAny, wordsOf } from "../words.ts";
import { attributeNamed, marksInside, marksNamed, nthMark, videoLabel } from "./choose-marks.ts";

/** A value for a schema node. `known` means that the marks determine it. */
type Filled = { value: Answer; known: boolean };

/** The mark that the current object is about, if any, and the words of the property's name. */
type Position = { subject: Mark | undefined; name: readonly string[] };

const maxDepth = 24;

/**
 * Returns an answer to a schema from the marks of a video. An unknown value is omitted where it is optional, an event
 * without a mark never happens, and other required values have the right form.
 */
export function fillFromMarks(root: Schema, marks: readonly Mark[]): Answer {
  const facts = marks.filter(({ label }) => label === videoLabel);

  function fill(node: unknown, at: Position, depth: number): Filled {
    const schema = resolveSchema(node, root);
    if (schema.const !== undefined) return { value: toAnswer(schema.const), known: true };
    const branches = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(branches) && branches.length > 0 && depth < maxDepth) {
      const filled = branches.map((branch) => fill(branch, at, depth + 1));
      return filled.find(({ known, value }) => known && value !== null) ?? filled.at(-1) ?? unknown(null);
    }
    const types = typesOf(schema);
    const filled = fillType(types.find((type) => type !== "null") ?? "string", schema, at, depth);
    return !filled.known && types.includes("null") ? unknown(null) : filled;
  }

  function fillType(type: string, schema: Schema, at: Position, depth: number): Filled {
    if (type === "object") return fillObject(schema, at, depth);
    if (type === "array") return fillList(schema, at, depth);
    if (type === "boolean") return fillBoolean(at);
    const text = attributeOf(at);
    if (Array.isArray(schema.enum)) {
      const option = schema.enum.find((each) => String(each) === text);
      return option === undefined ? unknown(toAnswer(optionForUnknown(schema.enum))) : known(toAnswer(option));
    }
    const isTime = asksForTime(at.name, schema);
    const ms = text === undefined && isTime ? timeOf(at) : undefined;
    if (type === "string") {
      if (ms !== undefined) return known(writeTime(ms, schema));
      return text === undefined ? unknown(inventString(schema, isTime)) : known(text);
    }
    const number = ms === undefined ? numberOf(at, text) : ms / 1000;
    if (number === undefined) return unknown(inventNumber(schema, type === "integer"));
    return known(type === "integer" ? Math.floor(number) : number);
  }

  function fillObject(schema: Schema, at: Position, depth: number): Filled {
    const object = new Map<string, Answer>();
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const about = at.subject ?? nthMark(marksNamed(marks, at.name) ?? [], at.name);
    let isKnown = false;
    for (const [name, node] of Object.entries(schema.properties ?? {})) {
      if (depth > maxDepth) break;
      const filled = fill(node, { subject: about, name: wordsOf(name) }, depth + 1);
      if (!filled.known && !required.has(name)) continue;
      object.set(name, filled.value);
      isKnown ||= filled.known;
    }
    return { value: object, known: isKnown };
  }

  function fillList(schema: Schema, at: Position, depth: number): Filled {
    if (depth > maxDepth) return unknown([]);
    const found = marksNamed(marksInside(marks, at.subject), at.name) ?? [];
    const items = found.slice(0, bound(schema, "maxItems") ?? found.length);
    return known(items.map((subject) => fill(schema.items, { subject, name: singular(at.name) }, depth + 1).value));
  }

  function fillBoolean(at: Position): Filled {
    const text = attributeOf(at);
    if (text !== undefined) return known(text === "true" || text === "yes");
    return known(at.subject === undefined && marksNamed(marks, at.name) !== undefined);
  }

  function attributeOf({ subject, name }: Position): string | undefined {
    if (subject) return attributeNamed(subject, name);
    return facts.map((fact) => attributeNamed(fact, name)).find((text) => text !== undefined);
  }

  function timeOf({ subject, name }: Position): number | undefined {
    const about = subject ?? nthMark(marksNamed(marks, name) ?? [], name);
    return hasAny(name, ...endWords) ? about?.endMs : about?.startMs;
  }

  function numberOf({ subject, name }: Position, text: string | undefined): number | undefined {
    if (text !== undefined) return Number.isFinite(Number(text)) ? Number(text) : undefined;
    if (subject && hasAny(name, "seconds", "duration", "lasts")) return (subject.endMs - subject.startMs) / 1000;
    return hasAny(name, "count", "number", "many") ? (marksNamed(marks, name)?.length ?? 0) : undefined;
  }

  return fill(root, { subject: undefined, name: [] }, 0).value;
}

function known(value: Answer): Filled {
  return { value, known: true };
}

function unknown(value: Answer): Filled {
  return { value, known: false };
}

function singular(name: readonly string[]): string[] {
  return name.map((word) => word.replace(/ies$/, "y").replace(/s$/, ""));
}
