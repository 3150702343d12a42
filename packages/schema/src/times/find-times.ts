import { roleOf, stemOf, type TimeRole, unitMs } from "@video-to-json/contract/time-words";
import { toExactValue } from "../json/json-value.ts";
import { type JsonNode, readJson } from "../json/read-json.ts";
import { childPointer } from "../json/texts.ts";
import { maskPointer, namesIn } from "../json-schema/violation.ts";
import type { CompiledSchema } from "../sandbox/compiled-schema.ts";
import { describeClaim, type Enclosing } from "./describe-claim.ts";
import { openSchemaPlaces, type SchemaPlaces, type SchemasAt } from "./subschemas-at.ts";
import { type ReadTime, readClock, readNumber, type TimeForm } from "./time-form.ts";
import { asksForClock, asksForSeconds, descriptionOf, isTuple, spanPathsOf } from "./time-places.ts";

/** A time that an answer claims. Plain data. */
export type TimeClaim = {
  /** JSON pointer into the answer. */
  pointer: string;
  /** The same pointer, with `*` for each key that the schema does not name. */
  pointerForCaller: string;
  /** The moments that the value may mean, in milliseconds: `00:07` means any moment of that second. */
  fromMs: number;
  toMs: number;
  /** Whether the time is the start or the end of something. */
  edge: "start" | "end";
  /**
   * `edge` is a guess: the key does not say which it is, and the only other time of the object is earlier, and may be the start. False by
   * default.
   */
  mayBeEnd?: boolean;
  /** The pointer of the other edge, if the answer has both. */
  otherEdge: string | null;
  form: TimeForm;
  /**
   * A description of what happens then, without any time. Claims with the same description are about the same kind of
   * event.
   */
  what: string;
};

const bounds = { maxDepth: 512, maxValues: 200_000 };
const unbounded = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

/** `stem`: the rest of its key, which the two edges of one thing share. */
type Leaf = { pointer: string; key: string; role: TimeRole; stem: string; time: ReadTime; description: string };

/**
 * Returns the times of a conforming answer, in order: texts such as `01:23` and numbers of seconds, if the schema asks
 * for a position in the video by key, description or pattern. Times past the end of the video do not count. For use
 * inside the sandbox only.
 */
export function findTimes(
  { kind, schemaText, fullText }: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">,
  answerText: string,
  durationMs: number,
): TimeClaim[] {
  const spanPaths = kind === "sketch" ? spanPathsOf(schemaText) : new Set<string>();
  const schema = readJson(fullText, unbounded);
  const [names, answer] = [namesIn(schema), readJson(answerText, bounds)];
  const places = openSchemaPlaces(toExactValue(schema).value);
  const claims: TimeClaim[] = [];
  visit(places, { node: answer, at: places.root, pointer: "", path: "", enclosing: [] });
  return claims;

  type Visited = { node: JsonNode; at: SchemasAt; pointer: string; path: string; enclosing: readonly Enclosing[] };

  function visit(open: SchemaPlaces, { node, at, pointer, path, enclosing }: Visited): void {
    if (node.kind === "object") {
      const leaves: Leaf[] = [];
      for (const { key, value } of node.members) {
        const inside = open.member(at, key);
        const leaf = leafOf(key, value, inside, childPointer(pointer, key));
        if (leaf) leaves.push(leaf);
      }
      const here: Enclosing = { node, times: new Set(leaves.map(({ key }) => key)) };
      const around = enclosing.length === 0 ? [] : replaceLast(enclosing, here);
      claim(leaves, around);
      for (const { key, value } of node.members) {
        const inside = open.member(at, key);
        const child = { key, description: descriptionOf(inside), isItem: false };
        visit(open, {
          node: value,
          at: inside,
          pointer: childPointer(pointer, key),
          path: childPointer(path, key),
          enclosing: [...around, child],
        });
      }
    } else if (node.kind === "array") {
      const leaves = node.items.map((value, index) =>
        leafOf("", value, open.item(at, index), childPointer(pointer, index), enclosing.at(-1)?.key),
      );
      const [first, second, ...more] = leaves;
      // Two times in a list within a list are the edges of a span.
      const isSpan = first && second && more.length === 0 && (spanPaths.has(path) || isTuple(at));
      const list = enclosing.at(-1);
      const item = { ...(list ?? { key: "", description: "" }), isItem: true };
      const around = list ? replaceLast(enclosing, item) : [item];
      if (isSpan) claim(asSpan(first, second), enclosing);
      else for (const leaf of leaves) if (leaf) claim([leaf], around);
      for (const [index, value] of node.items.entries()) {
        visit(open, {
          node: value,
          at: open.item(at, index),
          pointer: childPointer(pointer, index),
          path: childPointer(path, "*"),
          enclosing: around,
        });
      }
    }
  }

  function leafOf(key: string, node: JsonNode, at: SchemasAt, pointer: string, listKey?: string): Leaf | undefined {
    const description = descriptionOf(at);
    const name = key || (listKey ?? "");
    const time =
      node.kind === "string"
        ? asksForClock(name, at, description)
          ? readClock(node.value)
          : undefined
        : node.kind === "number"
          ? readSeconds(name, node.raw, description)
          : undefined;
    if (!time || time.fromMs > durationMs) return undefined;
    return { pointer, key, role: roleOf(name), stem: stemOf(key), time, description };
  }

  function claim(leaves: readonly Leaf[], enclosing: readonly Enclosing[]): void {
    for (const leaf of leaves) {
      const other = otherEdge(leaf, leaves);
      const { pointer, time, role } = leaf;
      const { form, fromMs, toMs } = time;
      const pair = other && (role === "end" ? [other, leaf] : [leaf, other]);
      claims.push({
        ...{ pointer, pointerForCaller: maskPointer(pointer, names, answer), form, fromMs, toMs },
        edge: role === "end" ? "end" : "start",
        mayBeEnd: role === "unknown" && leaves.length === 2 && leaves.some((other) => other.time.fromMs < fromMs),
        otherEdge: other?.pointer ?? null,
        what: describeClaim(pair ?? [leaf], enclosing),
      });
    }
  }
}

function readSeconds(key: string, raw: string, description: string): ReadTime | undefined {
  return asksForSeconds(key, description) ? readNumber(raw, unitMs(key, description) ?? 1000) : undefined;
}

function asSpan(first: Leaf, second: Leaf): Leaf[] {
  return [
    { ...first, role: "start" },
    { ...second, role: "end" },
  ];
}

/** The only leaf with the other role and the same rest of its key. */
function otherEdge(leaf: Leaf, leaves: readonly Leaf[]): Leaf | undefined {
  if (leaf.role !== "start" && leaf.role !== "end") return undefined;
  const wanted = leaf.role === "start" ? "end" : "start";
  const found = leaves.filter(({ role, stem }) => role === wanted && stem === leaf.stem);
  const same = leaves.filter(({ role, stem }) => role === leaf.role && stem === leaf.stem);
  return found.length === 1 && same.length === 1 ? found[0] : undefined;
}

function replaceLast(enclosing: readonly Enclosing[], last: Partial<Enclosing>): Enclosing[] {
  return [...enclosing.slice(0, -1), { ...enclosing.at(-1), ...last }];
}
