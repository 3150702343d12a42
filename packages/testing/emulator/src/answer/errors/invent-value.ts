import { isJsonObject } from "@video-to-json/contract";
import { type Answer, toAnswer } from "../answer.ts";
import { fitNumber } from "../fill-number.ts";
import { inventString } from "../invent.ts";
import { bound, resolveSchema, type Schema, typesOf } from "../schema.ts";
import { asksForTime, writeTime } from "../timestamp.ts";
import { wordsOf } from "../words.ts";
import type { Chance } from "./chance.ts";

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
      const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
      return withOrderedTimes(
        new Map(properties.map(([key, inside]) => [key, inventValue(inside, question, chance, key)])),
      );
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
