import { colorShares, isColorName } from "../evidence/color-names.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { type EventKind, eventsOf, kindIn, type Subject } from "./event.ts";
import { asSchema, type Schema } from "./schema.ts";
import { hasAny, wordsOf } from "./words.ts";

/** Where in the answer a value goes, and what it is said of. */
export type Place = {
  evidence: Evidence;
  subject: Subject;
  /** Position of the subject in its list. */
  index: number;
  /** The property's name in words. */
  name: readonly string[];
  /** The words of the property around it. */
  around: readonly string[];
};

/** What a field is about: its name first, then what its description says, then the property around it. */
export function kindOf(place: Place, schema: Schema): EventKind | undefined {
  return kindIn(place.name) ?? kindIn(told(schema)) ?? kindIn(place.around);
}

/** The words that a schema says of itself. */
export function told(schema: Schema): string[] {
  return wordsOf(`${schema.title ?? ""} ${typeof schema.description === "string" ? schema.description : ""}`);
}

/**
 * The one thing in the video that a field is about: the item of the list that is being filled, or the first (second,
 * last, …) of the kind that it names. Undefined when there is none.
 */
export function subjectOf(place: Place, schema: Schema): Subject | undefined {
  const { subject, evidence, name } = place;
  const words = [...name, ...told(schema)];
  const color = colorNamed(name) ?? (subject.kind === "video" ? colorNamed(told(schema)) : undefined);
  const kind = subject.kind === "video" ? kindOf(place, schema) : kindIn(name);
  if (color !== undefined && kind !== "black") return sceneOfColor(evidence, color);
  if (kind === undefined || kind === subject.kind) return subject;
  const events = eventsOf(evidence, kind).filter((event) => overlap(event, subject) > 0);
  if (kind === "black" && events.length === 0) return sceneOfColor(evidence, "black");
  return nth(events, words, name);
}

/** The colour that words name, black and white aside, which mean other things more often. */
export function colorNamed(words: readonly string[]): string | undefined {
  return words.find((word) => isColorName(word) && word !== "black" && word !== "white" && word !== "tan");
}

/** How long two stretches overlap, in milliseconds; a moment inside the other counts as one. */
export function overlap(one: { startMs: number; endMs: number }, other: { startMs: number; endMs: number }): number {
  return Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs);
}

/** The name of a subject's main colour. */
export function mainColor({ palette }: Pick<Subject, "palette">): string | undefined {
  return colorShares(palette)[0]?.name;
}

/** A property's place below another. */
export function placeOf(parent: Place, name: string): Place {
  return { ...parent, name: wordsOf(name), around: parent.name.length > 0 ? parent.name : parent.around };
}

/** Whether a list's items name times, texts and so on by themselves. */
export function itemProperties(schema: Schema): [string, Schema][] {
  return Object.entries(schema.properties ?? {}).map(([name, node]) => [name, asSchema(node)]);
}

const ordinals: readonly (readonly [number, ...string[]])[] = [
  [1, "second", "2"],
  [2, "third", "3"],
  [3, "fourth", "4"],
  [-1, "last", "final", "closing"],
];

function nth(events: readonly Subject[], words: readonly string[], name: readonly string[]): Subject | undefined {
  if (hasAny(words, "longest")) return [...events].sort((a, b) => b.endMs - b.startMs - (a.endMs - a.startMs))[0];
  const asked = ordinals.find(([, ...these]) => hasAny(name, ...these));
  return asked ? events.at(asked[0]) : events[0];
}

function sceneOfColor(evidence: Evidence, color: string): Subject | undefined {
  const plain = color === "grey" ? "gray" : color;
  return eventsOf(evidence, "scene").find((scene) => mainColor(scene) === plain);
}
