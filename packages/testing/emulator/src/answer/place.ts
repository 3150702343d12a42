import { colorShares, isColorName, spellGray } from "../evidence/color-names.ts";
import type { Evidence, Span } from "../evidence/evidence.ts";
import { type EventKind, eventsOf, kindIn, type Subject } from "./event.ts";
import { asSchema, type Schema } from "./schema.ts";
import { hasAny, wordsOf } from "./words.ts";

/** The position of a value in the answer, and the part of the video that it describes. */
export type Place = {
  evidence: Evidence;
  subject: Subject;
  /** The position of the subject in its list. */
  index: number;
  /** The words of the property's name. */
  name: readonly string[];
  /** The words of the parent property's name. */
  parentName: readonly string[];
};

/** Returns the kind that a field's name, description or parent names, in this order. */
export function kindOf(place: Place, schema: Schema): EventKind | undefined {
  return kindIn(place.name) ?? kindIn(descriptionWords(schema)) ?? kindIn(place.parentName);
}

/** Returns the words of a schema's title and description. */
export function descriptionWords(schema: Schema): string[] {
  return wordsOf(`${schema.title ?? ""} ${typeof schema.description === "string" ? schema.description : ""}`);
}

/**
 * Returns the part of the video that a field describes: the current item of a list, or the first (second, last, …) event
 * of the kind that the field names. Undefined if there is no such event.
 */
export function subjectOf(place: Place, schema: Schema): Subject | undefined {
  const { subject, evidence, name } = place;
  const words = [...name, ...descriptionWords(schema)];
  const color = colorNamed(name) ?? (subject.kind === "video" ? colorNamed(descriptionWords(schema)) : undefined);
  const kind = subject.kind === "video" ? kindOf(place, schema) : kindIn(name);
  if (color !== undefined && kind !== "black") return sceneOfColor(evidence, color);
  if (kind === undefined || kind === subject.kind) return subject;
  const events = eventsOf(evidence, kind).filter((event) => overlap(event, subject) > 0);
  if (kind === "black" && events.length === 0) return sceneOfColor(evidence, "black");
  return nth(events, words, name);
}

/** Returns the colour that words name. Black, white and tan do not count: they usually mean something else. */
export function colorNamed(words: readonly string[]): string | undefined {
  return words.find((word) => isColorName(word) && word !== "black" && word !== "white" && word !== "tan");
}

/** Returns how long two spans overlap, in milliseconds. Not positive if they do not. */
export function overlap(one: Span, other: Span): number {
  return Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs);
}

/** Returns the name of a subject's main colour. */
export function mainColor({ palette }: Pick<Subject, "palette">): string | undefined {
  return colorShares(palette)[0]?.name;
}

/** Returns the place of a property inside its parent. */
export function placeOf(parent: Place, name: string): Place {
  return { ...parent, name: wordsOf(name), parentName: parent.name.length > 0 ? parent.name : parent.parentName };
}

/** Returns the properties of an item by name. */
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
  const ordinal = ordinals.find(([, ...ordinalWords]) => hasAny(name, ...ordinalWords));
  return events.at(ordinal?.[0] ?? 0);
}

function sceneOfColor(evidence: Evidence, color: string): Subject | undefined {
  const name = spellGray(color);
  return eventsOf(evidence, "scene").find((scene) => mainColor(scene) === name);
}
