import { describe } from "./describe.ts";
import { type EventKind, kindIn } from "./event.ts";
import { matchesPattern } from "./pattern.ts";
import { colorNamed, descriptionWords, kindOf, mainColor, type Place, subjectOf } from "./place.ts";
import { bound, type Schema } from "./schema.ts";
import { asksForTime, timeOf, writeTime } from "./timestamp.ts";
import { hasAny } from "./words.ts";

/** Returns the string that the evidence contains for a field, or undefined if it contains none. */
export function fillString(place: Place, schema: Schema): string | undefined {
  const text = findString(place, schema);
  if (text === undefined) return undefined;
  const fitted = text.slice(0, bound(schema, "maxLength") ?? text.length);
  if (fitted.length < (bound(schema, "minLength") ?? 0)) return undefined;
  if (typeof schema.pattern === "string" && !matchesPattern(schema.pattern, fitted)) return undefined;
  return fitted;
}

const summaryWords = [
  "summary",
  "description",
  "describe",
  "overview",
  "synopsis",
  "content",
  "contents",
  "notes",
  "note",
  "what",
  "happens",
  "details",
];
const textWords = [
  "title",
  "text",
  "caption",
  "headline",
  "heading",
  "label",
  "sign",
  "words",
  "word",
  "message",
  "writing",
];
const colorWords = ["color", "colour", "hue", "background", "colors", "colours"];

function findString(place: Place, schema: Schema): string | undefined {
  const { name, evidence } = place;
  if (asksForTime(place.name, schema)) {
    const ms = timeOf(place, schema);
    return ms === undefined ? undefined : writeTime(ms, schema);
  }
  const subject = subjectOf(place, schema);
  if (hasAny(name, "duration", "length")) return subject && writeTime(subject.endMs - subject.startMs, schema);
  if (hasAny(name, "orientation")) return orientation(evidence);
  if (hasAny(name, "aspect", "ratio")) return aspectRatio(evidence);
  if (hasAny(name, "resolution", "dimensions", "size"))
    return evidence.width ? `${evidence.width}x${evidence.height}` : undefined;
  if (hasAny(name, ...colorWords)) return colorOf(place, schema);
  if (hasAny(name, ...summaryWords)) return describe(place.subject, evidence);
  if (hasAny(name, ...textWords))
    return place.subject.kind === "video" ? (subject?.text ?? undefined) : (place.subject.text ?? undefined);
  if (hasAny(name, "kind", "type", "event")) return place.subject.kind === "video" ? undefined : place.subject.kind;
  return byDescription(place, schema);
}

/** Uses the description and the parent's name if the field's own name says nothing (`value`, `answer`, a list item). */
function byDescription(place: Place, schema: Schema): string | undefined {
  const words = descriptionWords(schema);
  const kind: EventKind | undefined = kindOf(place, schema);
  if (hasAny(words, ...colorWords) || kind === "color") return colorOf(place, schema);
  if (kind === "text")
    return (place.subject.kind === "video" ? subjectOf(place, schema) : place.subject)?.text ?? undefined;
  if (place.name.length === 0 && place.subject.kind !== "video") {
    return place.subject.kind === "scene"
      ? describe(place.subject, place.evidence)
      : writeTime(place.subject.startMs, schema);
  }
  return hasAny(words, "summary", "summarise", "summarize", "describe", "overview")
    ? describe(place.subject, place.evidence)
    : undefined;
}

function colorOf(place: Place, schema: Schema): string | undefined {
  const name = place.name.filter((word) => colorNamed([word]) === undefined && kindIn([word]) !== "color");
  const about = place.subject.kind === "video" ? subjectOf({ ...place, name, parentName: [] }, {}) : place.subject;
  const subject = about ?? place.subject;
  const wantsHex = /\bhex|#rrggbb/i.test(String(schema.description ?? "")) || hasAny(place.name, "hex");
  const [main] = subject.palette;
  if ((wantsHex || String(schema.pattern ?? "").includes("#")) && main) {
    return `#${main.rgb.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
  }
  return mainColor(subject);
}

/** Returns `landscape`, `portrait` or `square`, or undefined without a picture. */
export function orientation({ width, height }: { width: number; height: number }): string | undefined {
  if (width === 0) return undefined;
  return width === height ? "square" : width > height ? "landscape" : "portrait";
}

function aspectRatio({ width, height }: { width: number; height: number }): string | undefined {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const common = divisor(width, height);
  return common === 0 ? undefined : `${width / common}:${height / common}`;
}
