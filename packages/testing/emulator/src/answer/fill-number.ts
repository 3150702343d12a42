import { colorShares } from "../evidence/color-names.ts";
import { eventsOf, kindIn } from "./event.ts";
import { colorNamed, descriptionWords, kindOf, overlap, type Place, subjectOf } from "./place.ts";
import { bound, type Schema } from "./schema.ts";
import { asksForTime, timeOf } from "./timestamp.ts";
import { hasAny } from "./words.ts";

/** Returns the number that the evidence contains for a field, or undefined if it contains none. */
export function fillNumber(place: Place, schema: Schema, isInteger: boolean): number | undefined {
  const number = findNumber(place, schema);
  return number === undefined ? undefined : fitNumber(number, schema, isInteger);
}

/** Returns the nearest number within the bounds of a node. */
export function fitNumber(number: number, schema: Schema, isInteger: boolean): number {
  const step = bound(schema, "multipleOf") ?? (isInteger ? 1 : 0);
  const above = bound(schema, "exclusiveMinimum");
  const below = bound(schema, "exclusiveMaximum");
  const gap = step || 0.001;
  const low = Math.max(bound(schema, "minimum") ?? -Infinity, above === undefined ? -Infinity : above + gap);
  const high = Math.min(bound(schema, "maximum") ?? Infinity, below === undefined ? Infinity : below - gap);
  const inside = Math.min(Math.max(number, low), high);
  if (step <= 0) return Number(inside.toFixed(3));
  const steps = inside / step;
  const near = Math.round(steps) * step;
  if (near >= low && near <= high) return Number(near.toFixed(9));
  return Number(((near < low ? Math.ceil(low / step) : Math.floor(high / step)) * step).toFixed(9));
}

const countWords = ["count", "number", "num", "total", "many", "amount", "quantity", "occurrences"];

function findNumber(place: Place, schema: Schema): number | undefined {
  const { name, evidence, subject, index } = place;
  const words = [...name, ...descriptionWords(schema)];
  const counts =
    hasAny(name, ...countWords) ||
    (name.length > 0 && /how many|number of|count of/i.test(String(schema.description ?? "")));
  if (subject.kind !== "video" && isOrdinal(name, subject.kind)) return hasAny(name, "index") ? index : index + 1;
  if (hasAny(words, "percent", "percentage", "share", "fraction", "proportion")) return share(place, schema, words);
  if (hasAny(name, "duration", "length", "seconds", "lasts", "long", "runtime", "minutes"))
    return inUnit(lengthOf(place, schema), words);
  if (hasAny(name, "width")) return evidence.width || undefined;
  if (hasAny(name, "height")) return evidence.height || undefined;
  if (hasAny(name, "aspect")) return evidence.height === 0 ? undefined : evidence.width / evidence.height;
  if (hasAny(name, "brightness", "luma", "luminance", "lightness")) return scaled(subject.brightness, schema, words);
  if (hasAny(name, "confidence", "certainty", "probability")) return scaled(0.9, schema, words);
  if (counts || (kindIn(name) !== undefined && /s$/.test(name.at(-1) ?? "") && subject.kind === "video"))
    return count(place, schema);
  if (asksForTime(place.name, schema) || /\bseconds? (from|since|into)\b/i.test(String(schema.description ?? "")))
    return inUnit(timeOf(place, schema), words);
  if (name.length === 0 && subject.kind !== "video") return inUnit(subject.startMs, words);
  return undefined;
}

function isOrdinal(name: readonly string[], kind: string): boolean {
  if (hasAny(name, "count", "total")) return false;
  const rest = name.filter((word) => kindIn([word]) !== kind);
  return (
    ["index", "number", "no", "order", "id", "position", "rank"].includes(rest.join(" ")) ||
    (name.length === 1 && rest.length === 0)
  );
}

function count(place: Place, schema: Schema): number | undefined {
  const kind = kindOf(place, schema);
  if (kind === undefined || place.evidence.durationMs === 0) return undefined;
  const events = eventsOf(place.evidence, kind);
  return place.subject.kind === "video"
    ? events.length
    : events.filter((event) => overlap(event, place.subject) > 0).length;
}

/** Returns a length in milliseconds: of all events of a kind together if the words ask for the total, or else of one. */
function lengthOf(place: Place, schema: Schema): number | undefined {
  const kind = kindIn(place.name) ?? kindIn(descriptionWords(schema));
  if (
    place.subject.kind === "video" &&
    kind !== undefined &&
    hasAny([...place.name, ...descriptionWords(schema)], "total", "all")
  ) {
    return eventsOf(place.evidence, kind).reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  }
  const subject = subjectOf(place, schema);
  return subject && subject.endMs > 0 ? subject.endMs - subject.startMs : undefined;
}

function share(place: Place, schema: Schema, words: readonly string[]): number | undefined {
  const color = colorNamed(words);
  const kind = kindOf(place, schema);
  const { durationMs } = place.evidence;
  if (durationMs === 0) return undefined;
  if (color !== undefined) {
    const found = colorShares(place.subject.palette).find(({ name }) => name === color);
    return scaled(found?.share ?? 0, schema, words);
  }
  if (kind === undefined || kind === "color") return undefined;
  const covered = eventsOf(place.evidence, kind).reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  return scaled(covered / durationMs, schema, words);
}

function scaled(share: number, schema: Schema, words: readonly string[]): number {
  const max =
    bound(schema, "maximum") ?? (hasAny(words, "percent", "percentage", "100") ? 100 : hasAny(words, "255") ? 255 : 1);
  return Number((share * (max >= 100 ? max : 1)).toFixed(3));
}

function inUnit(ms: number | undefined, words: readonly string[]): number | undefined {
  if (ms === undefined) return undefined;
  if (hasAny(words, "ms", "milliseconds", "millis")) return Math.round(ms);
  if (hasAny(words, "minutes") && !hasAny(words, "seconds")) return ms / 60_000;
  return Number((ms / 1000).toFixed(2));
}
