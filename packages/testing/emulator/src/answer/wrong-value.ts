import { createHash } from "node:crypto";
import { type Answer, toAnswer, wordsOf } from "./answer.ts";
import { fitNumber, inventString } from "./invent.ts";
import { bound, resolveSchema, type Schema, typesOf } from "./schema.ts";
import { asksForTime, writeTime } from "./times.ts";

/** Returns a number from 0 to 1 for a name. The same name always gets the same number. */
export type Chance = (...name: readonly unknown[]) => number;

/** Creates a source of chance whose numbers depend on these values. */
export function createChance(...from: readonly unknown[]): Chance {
  const start = JSON.stringify(from);
  return (...name) => {
    const digest = createHash("sha256").update(start).update(JSON.stringify(name)).digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  };
}

const words = ["Northgate", "a red van", "Mr Adams", "the blue door", "Delta 7", "two people", "a small dog"];

/** Returns a plausible value for something that the video does not show. */
export function inventValue(
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

/** Moves a start before its end. */
function withOrderedTimes(object: Map<string, Answer>): Answer {
  const [start, end] = [object.get("start"), object.get("end")];
  if (start === undefined || end === undefined || start === null || end === null || start <= end) return object;
  return new Map(object).set("start", end).set("end", start);
}

/** Returns another value of the same form: another option, another number, or a text with one wrong character. */
export function misreadValue(value: Answer, schema: Schema, chance: Chance): Answer {
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

/** Returns the next digit for a digit, and one letter of two for a letter. */
function confused(character: string): string {
  const digit = digits.indexOf(character);
  if (digit >= 0) return digits[(digit + 3) % 10] ?? "0";
  return character.toLowerCase() === "e" ? "o" : "e";
}
