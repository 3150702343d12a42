import { type Answer, toAnswer } from "../answer.ts";
import type { Schema } from "../schema.ts";
import type { Chance } from "./chance.ts";

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
