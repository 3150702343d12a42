import { roleOf, stemOf } from "@video-to-json/contract/time-words";
import { childPointer, type JsonNode, stepsOf } from "../json/json-node.ts";
import { type Lane, type Moment, secondsOf } from "./moment.ts";

/**
 * Returns the moments that an answer names, in the order of the answer: every time as a point; every start with its end
 * in the same object, and every pair of times in a list of pairs, as a span. A time after `duration` (seconds) is not a
 * moment.
 */
export function findMoments(root: JsonNode, duration = Number.POSITIVE_INFINITY): Moment[] {
  const timeOf = (node: JsonNode): number | undefined => {
    const seconds = node.kind === "string" ? secondsOf(node.text) : undefined;
    // A timestamp names a whole second, so the last one may be up to a second after the end.
    return seconds !== undefined && seconds <= duration + 1 ? seconds : undefined;
  };

  const visit = (node: JsonNode, pointer: string, isItem: boolean): Moment[] => {
    if (node.kind === "array") {
      const pair = isItem ? pairOf(node, pointer) : undefined;
      if (pair) return [pair];
      return node.items.flatMap((item, index) => {
        const own = childPointer(pointer, index);
        return point(item, own, own, "") ?? visit(item, own, true);
      });
    }
    if (node.kind !== "object") return [];
    const label = labelOf(node);
    const times = node.members.flatMap(({ key, value }) => {
      const seconds = timeOf(value);
      return seconds === undefined ? [] : [{ key, seconds }];
    });
    const spans = times.flatMap((start) => {
      if (roleOf(start.key) !== "start") return [];
      const end = times.find(({ key }) => roleOf(key) === "end" && stemOf(key) === stemOf(start.key));
      if (!end || end.seconds < start.seconds) return [];
      const fields = [childPointer(pointer, start.key), childPointer(pointer, end.key)];
      return [{ start, end, fields }];
    });
    const spanned = new Set(spans.flatMap(({ fields }) => fields));
    const own = spans.map(
      ({ start, end, fields }): Moment => ({
        pointer: fields[0] ?? pointer,
        kind: "span",
        from: start.seconds,
        to: end.seconds,
        fields,
        container: pointer,
        // A key such as `intro_start` says of what it is the start.
        lane: laneOf(stemOf(start.key) === "" ? pointer : (fields[0] ?? pointer)),
        label,
      }),
    );
    const inside = node.members.flatMap(({ key, value }) => {
      const field = childPointer(pointer, key);
      if (spanned.has(field)) return [];
      return point(value, field, pointer, label) ?? visit(value, field, false);
    });
    return [...own, ...inside];
  };

  const point = (node: JsonNode, pointer: string, container: string, label: string): Moment[] | undefined => {
    const at = timeOf(node);
    if (at === undefined) return undefined;
    return [{ pointer, kind: "point", from: at, to: at, fields: [pointer], container, lane: laneOf(pointer), label }];
  };

  const pairOf = (node: JsonNode & { kind: "array" }, pointer: string): Moment | undefined => {
    const [from, to] = node.items.map(timeOf);
    if (node.items.length !== 2 || from === undefined || to === undefined || from > to) return undefined;
    const fields = [childPointer(pointer, 0), childPointer(pointer, 1)];
    return { pointer, kind: "span", from, to, fields, container: pointer, lane: laneOf(pointer), label: "" };
  };

  return point(root, "", "", "") ?? visit(root, "", false);
}

/** Returns the moments by lane, each lane in the order of time. */
export function lanesOf(moments: readonly Moment[]): Lane[] {
  const byLane = Map.groupBy(moments, ({ lane }) => lane);
  return [...byLane].map(([id, own]) => ({
    id,
    name: laneName(id),
    moments: own.toSorted((one, other) => one.from - other.from || one.to - other.to),
  }));
}

function laneOf(pointer: string): string {
  return stepsOf(pointer).reduce((lane, step) => childPointer(lane, /^\d+$/.test(step) ? "*" : step), "");
}

const plainTimes = new Set(["at", "time", "timestamp", "when"]);

function laneName(lane: string): string {
  const words = stepsOf(lane).filter((step) => step !== "*");
  const last = words.at(-1);
  const named = words.length > 1 && last && plainTimes.has(last) ? words.slice(0, -1) : words;
  return named.join(" › ") || "answer";
}

const longestLabel = 80;

/** Returns the description of an object: its first two texts that are not times. */
function labelOf(node: JsonNode & { kind: "object" }): string {
  const texts = node.members.flatMap(({ value }) =>
    value.kind === "string" && secondsOf(value.text) === undefined && value.text.trim() !== ""
      ? [value.text.trim()]
      : [],
  );
  const label = texts.slice(0, 2).join(" · ");
  return label.length > longestLabel ? `${label.slice(0, longestLabel - 1).trimEnd()}…` : label;
}
