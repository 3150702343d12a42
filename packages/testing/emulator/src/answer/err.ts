import { createHash } from "node:crypto";
import { isJsonObject } from "@video-to-json/contract";
import { type Entry, number, oneOf, readEntries } from "../control/read-members.ts";
import { type Answer, asksForTime, endWords, hasAny, toAnswer, wordsOf, writeTime } from "./answer.ts";
import { fitNumber, inventString } from "./invent.ts";
import { bound, resolveSchema, type Schema, typesOf } from "./schema.ts";

const kinds = ["edges", "minute", "short-list", "repeat", "invent", "misread", "replay"] as const;
/**
 * `minMs` and `maxMs` are the shifts of `edges`; `items` are those of the longest list for `short-list`; `lists` are the lists
 * of moments of `replay`, by their key in the answer.
 */
const members = {
  kind: oneOf(kinds),
  seed: number(1, 0),
  probability: number(0.5, 0, 1),
  minMs: number(1000, 0),
  maxMs: number(10_000, 0),
  items: number(10, 0),
  lists: readLists,
};

type Lists = Readonly<Record<string, readonly { start: number; end: number }[]>>;

/** Reads `{"<key>": [{"start": 1000, "end": 2000}]}`, in milliseconds. */
function readLists(value: unknown, at: string): Lists {
  const isMoment = (moment: unknown) =>
    isJsonObject(moment) && typeof moment.start === "number" && typeof moment.end === "number";
  const isList = (list: unknown) => Array.isArray(list) && list.every(isMoment);
  if (value === undefined) return {};
  if (isJsonObject(value) && Object.values(value).every(isList)) return value as Lists;
  throw new RangeError(`${at} must be an object of lists of {"start", "end"}.`);
}

/** One way in which the model errs about whole videos. The README describes the members. */
export type ModelError = Entry<typeof members>;

/** Reads `{"errors": […]}` or a list. Throws a RangeError that names the invalid member. */
export function readModelErrors(value: unknown): ModelError[] {
  const read = readEntries(value, "errors", members);
  const wrong = read.findIndex(({ minMs, maxMs }) => minMs > maxMs);
  if (wrong >= 0) throw new RangeError(`errors[${wrong}].minMs must not be larger than maxMs.`);
  return read;
}

/** What the errors depend on, besides their own seeds: the same question about the same video gets the same answer. */
type Question = { schema: Schema; durationMs: number; text: string };

/** Returns an answer with the errors of the model, in their order. It still has the form that the schema asks for. */
export function err(answer: Answer, errors: readonly ModelError[], question: Question): Answer {
  return errors.reduce((changed, error) => {
    const chance = createChance(error.seed, error.kind, question.text, question.durationMs);
    return change(changed, question.schema, "", { error, question, chance });
  }, answer);
}

type Change = { error: ModelError; question: Question; chance: Chance };

function change(value: Answer, node: unknown, path: string, context: Change): Answer {
  const schema = resolveSchema(node, context.question.schema);
  if (Array.isArray(value)) return changeList(value, schema, path, context);
  return value instanceof Map ? changeObject(value, schema, path, context) : value;
}

/** The key of a list decides what it holds; the moments have the times that the schema asks for. */
function replayed(key: string, list: Answer, node: unknown, { error, question }: Change): Answer {
  const moments = Array.isArray(list) ? error.lists[key] : undefined;
  const item = resolveSchema(resolveSchema(node, question.schema).items, question.schema);
  const write = (ms: number, name: string) => writeTime(ms, resolveSchema(item.properties?.[name], question.schema));
  return moments
    ? moments.map(
        ({ start, end }) =>
          new Map([
            ["start", write(start, "start")],
            ["end", write(end, "end")],
          ]),
      )
    : list;
}

function changeList(list: readonly Answer[], schema: Schema, path: string, context: Change): Answer[] {
  const { error, chance, question } = context;
  const item = resolveSchema(schema.items, question.schema);
  const isTimed = Object.entries(item.properties ?? {}).some(([key, node]) =>
    asksForTime(wordsOf(key), node as Schema),
  );
  let items = [...list];
  if (error.kind === "short-list" && isTimed) items = items.slice(0, error.items);
  if (error.kind === "repeat" && isTimed && schema.uniqueItems !== true) {
    items = items.flatMap((each, index) =>
      chance(path, index) >= error.probability ? [each] : [each, repeated(each, item, question.durationMs)],
    );
  }
  if (error.kind === "invent" && list.length === 0 && chance(path) < error.probability)
    items = [inventValue(item, question, under(chance, path))];
  return items.map((each, index) => change(each, item, `${path}/${index}`, context));
}

function under(chance: Chance, ...start: readonly unknown[]): Chance {
  return (...name) => chance(...start, ...name);
}

function changeObject(object: Map<string, Answer>, schema: Schema, path: string, context: Change): Answer {
  const { error, chance, question } = context;
  const own = under(chance, path);
  const properties = schema.properties ?? {};
  const changed = new Map(object);
  if (error.kind === "edges" || error.kind === "minute") {
    const times = timesIn(object, schema, question.schema);
    for (const [index, ms] of shiftTimes(times, error, question.durationMs, own).entries()) {
      const leaf = times[index];
      if (leaf) changed.set(leaf.key, writeLeaf(leaf, ms, object));
    }
  }
  if (error.kind === "misread") {
    for (const [key, value] of object) {
      const node = resolveSchema(properties[key], question.schema);
      if (asksForTime(wordsOf(key), node) || own(key) >= error.probability) continue;
      changed.set(key, misreadValue(value, node, under(own, key)));
    }
  }
  if (error.kind === "replay") {
    for (const [key, list] of changed) changed.set(key, replayed(key, list, properties[key], context));
    return changed;
  }
  for (const [key, inside] of changed) changed.set(key, change(inside, properties[key], `${path}/${key}`, context));
  if (error.kind !== "invent") return changed;
  const inOrder = new Map<string, Answer>();
  for (const [key, node] of Object.entries(properties)) {
    const known = changed.get(key);
    if (known !== undefined) inOrder.set(key, known);
    else if (own(key) < error.probability) inOrder.set(key, inventValue(node, question, under(own, key)));
  }
  return new Map([...inOrder, ...[...changed].filter(([key]) => !inOrder.has(key))]);
}

/** A second report of the same event: a second later. */
function repeated(item: Answer, schema: Schema, durationMs: number): Answer {
  if (!(item instanceof Map)) return item;
  const copy = new Map(item);
  for (const leaf of timesIn(item, schema, schema))
    copy.set(leaf.key, writeLeaf(leaf, Math.min(durationMs, leaf.ms + 1000), item));
  return copy;
}

type TimeLeaf = { key: string; schema: Schema; ms: number };

function timesIn(object: Map<string, Answer>, schema: Schema, root: Schema): TimeLeaf[] {
  return [...object].flatMap(([key, value]): TimeLeaf[] => {
    const node = resolveSchema(schema.properties?.[key], root);
    const ms = asksForTime(wordsOf(key), node) ? readTime(value) : undefined;
    return ms === undefined ? [] : [{ key, schema: node, ms }];
  });
}

function readTime(value: Answer): number | undefined {
  if (typeof value === "number") return value * 1000;
  const parts = typeof value === "string" ? /^(?:(\d+):)?(\d{1,3}):(\d\d(?:\.\d+)?)$/.exec(value) : null;
  return parts ? (Number(parts[1] ?? 0) * 3600 + Number(parts[2]) * 60 + Number(parts[3])) * 1000 : undefined;
}

function writeLeaf({ key, schema }: TimeLeaf, ms: number, object: Map<string, Answer>): Answer {
  return typeof object.get(key) === "number" ? ms / 1000 : writeTime(ms, schema);
}

/** Returns the times of one object, changed as the model errs. No start is later than its end. */
function shiftTimes(times: readonly TimeLeaf[], error: ModelError, durationMs: number, chance: Chance): number[] {
  const before = times.map(({ ms }) => ms);
  const isInside = (ms: number) => ms >= 0 && ms <= durationMs;
  const bothWays = (size: number, ...name: string[]) => (chance(...name, "sign") < 0.5 ? [size, -size] : [-size, size]);
  if (error.kind === "minute") {
    if (chance("minute") >= error.probability) return before;
    const moved = bothWays(60_000).map((size) => before.map((ms) => ms + size));
    return moved.find((all) => all.every(isInside)) ?? before;
  }
  const after = [...before];
  const isEnd = (leaf: TimeLeaf | undefined) => hasAny(wordsOf(leaf?.key ?? ""), ...endWords);
  for (const [index, leaf] of times.entries()) {
    const { key, ms } = leaf;
    if (chance(key) >= error.probability) continue;
    const size = Math.round((error.minMs + chance(key, "size") * (error.maxMs - error.minMs)) / 1000) * 1000;
    /** A moved time stays on its side of every other edge of the object. */
    const isOrdered = (moved: number) =>
      after.every((other, at) => {
        if (at === index || isEnd(times[at]) === isEnd(leaf)) return true;
        return isEnd(leaf) ? moved >= other : moved <= other;
      });
    const candidates = bothWays(size, key).map((step) => ms + step);
    after[index] = candidates.find((moved) => isInside(moved) && isOrdered(moved)) ?? ms;
  }
  return after;
}

/** Returns a number from 0 to 1 for a name. The same name always gets the same number. */
type Chance = (...name: readonly unknown[]) => number;

function createChance(...from: readonly unknown[]): Chance {
  const start = JSON.stringify(from);
  return (...name) => {
    const digest = createHash("sha256").update(start).update(JSON.stringify(name)).digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  };
}

const words = ["Northgate", "a red van", "Mr Adams", "the blue door", "Delta 7", "two people", "a small dog"];

function inventValue(
  node: unknown,
  question: { schema: Schema; durationMs: number },
  chance: Chance,
  name = "",
): Answer {
  const schema = resolveSchema(node, question.schema);
  if (schema.const !== undefined) return toAnswer(schema.const);
  const draw = (...key: string[]) => chance(name, ...key);
  if (Array.isArray(schema.enum)) return toAnswer(schema.enum[Math.floor(draw() * schema.enum.length)]);
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches) && branches.length > 0) return inventValue(branches[0], question, chance, name);
  const type = typesOf(schema).find((each) => each !== "null") ?? "string";
  const isTime = asksForTime(wordsOf(name), schema);
  const ms = Math.floor(draw("time") * (question.durationMs / 1000)) * 1000;
  switch (type) {
    case "object": {
      const properties = Object.entries(schema.properties ?? {});
      const values = properties.map(([key, inside]) => [key, inventValue(inside, question, chance, key)] as const);
      return withOrderedTimes(new Map(values));
    }
    case "array":
      return [];
    case "boolean":
      return true;
    case "integer":
    case "number":
      return isTime ? ms / 1000 : fitNumber(1 + Math.floor(draw() * 9), schema, type === "integer");
    default:
      if (isTime) return writeTime(ms, schema);
      return isFree(schema) ? (words[Math.floor(draw() * words.length)] ?? "") : inventString(schema, false);
  }
}

function isFree(schema: Schema): boolean {
  return schema.pattern === undefined && schema.format === undefined && (bound(schema, "maxLength") ?? 20) >= 20;
}

function withOrderedTimes(object: Map<string, Answer>): Answer {
  const [start, end] = [object.get("start"), object.get("end")];
  if (start === undefined || end === undefined || start === null || end === null || start <= end) return object;
  return new Map(object).set("start", end).set("end", start);
}

function misreadValue(value: Answer, schema: Schema, chance: Chance): Answer {
  if (Array.isArray(schema.enum)) {
    const others = schema.enum.filter((option) => option !== value);
    return others.length === 0 ? value : toAnswer(others[Math.floor(chance("option") * others.length)]);
  }
  if (typeof value === "number") return value + 1;
  if (typeof value !== "string" || schema.pattern !== undefined || schema.format !== undefined) return value;
  const places = [...value.matchAll(/[\p{L}\p{N}]/gu)].map(({ index }) => index);
  const at = places[Math.floor(chance("place") * places.length)];
  if (at === undefined) return value;
  return `${value.slice(0, at)}${confused(value[at] ?? "")}${value.slice(at + 1)}`;
}

const digits = "0123456789";

function confused(character: string): string {
  const digit = digits.indexOf(character);
  if (digit >= 0) return digits[(digit + 3) % 10] ?? "0";
  return character.toLowerCase() === "e" ? "o" : "e";
}
