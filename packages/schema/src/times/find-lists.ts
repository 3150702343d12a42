import { toExactValue } from "../json/json-value.ts";
import { type JsonNode, readJson } from "../json/read-json.ts";
import { childPointer } from "../json/texts.ts";
import type { CompiledSchema } from "../sandbox/compiled-schema.ts";
import { openSchemaPlaces, type SchemasAt } from "./subschemas-at.ts";
import { asksForClock, asksForSeconds, descriptionOf, isTuple, spanPathsOf } from "./time-places.ts";

const bounds = { maxDepth: 512, maxValues: 200_000 };
const unbounded = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

/**
 * Returns the JSON pointers of an answer's lists of moments, in order: lists of times, and lists of objects that
 * contain a time. The search leaves out a list within a list. For use inside the sandbox only.
 */
export function findLists(
  { kind, schemaText, fullText }: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">,
  answerText: string,
): string[] {
  const spanPaths = kind === "sketch" ? spanPathsOf(schemaText) : new Set<string>();
  const places = openSchemaPlaces(toExactValue(readJson(fullText, unbounded)).value);
  return visit(readJson(answerText, bounds), places.root, "", "");

  function visit(node: JsonNode, at: SchemasAt, pointer: string, key: string): string[] {
    if (node.kind === "array") {
      const isSpan = spanPaths.has(pointer) || isTuple(at);
      return !isSpan && holdsTime(places.item(at, 0), key) ? [pointer] : [];
    }
    if (node.kind !== "object") return [];
    return node.members.flatMap((member) =>
      visit(member.value, places.member(at, member.key), childPointer(pointer, member.key), member.key),
    );
  }

  function holdsTime(item: SchemasAt, listKey: string): boolean {
    if (isTime(item, listKey)) return true;
    const keys = new Set(item.flatMap(({ properties }) => Object.keys(properties ?? {})));
    return [...keys].some((key) => {
      const value = places.member(item, key);
      return isTime(value, key) || isTime(places.item(value, 0), key);
    });
  }
}

function isTime(at: SchemasAt, key: string): boolean {
  if (at.some((schema) => "enum" in schema || "const" in schema)) return false;
  const types = new Set(at.flatMap(({ type }) => type ?? []));
  const description = descriptionOf(at);
  if (types.has("string") && asksForClock(key, at, description)) return true;
  return (types.has("number") || types.has("integer")) && asksForSeconds(key, description);
}
