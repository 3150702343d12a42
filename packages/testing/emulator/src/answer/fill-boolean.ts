import { colorShares, spellGray } from "../evidence/color-names.ts";
import { isMostly } from "./describe.ts";
import { type EventKind, eventsOf, type Subject } from "./event.ts";
import { orientation } from "./fill-string.ts";
import { colorNamed, descriptionWords, kindOf, mainColor, overlap, type Place } from "./place.ts";
import type { Schema } from "./schema.ts";
import { hasAny } from "./words.ts";

/** Returns the answer of the evidence to a yes-or-no question, or undefined if the evidence does not decide it. */
export function fillBoolean(place: Place, schema: Schema): boolean | undefined {
  if (place.evidence.durationMs === 0) return undefined;
  return answer(place, schema, place.name) ?? answer(place, schema, descriptionWords(schema));
}

const maxDarkBrightness = 0.35;
const minBrightBrightness = 0.5;
const minColorShare = 0.05;

function answer(place: Place, schema: Schema, words: readonly string[]): boolean | undefined {
  const { evidence, subject } = place;
  if (
    hasAny(words, "grayscale", "greyscale", "monochrome", "bw") ||
    (hasAny(words, "black") && hasAny(words, "white"))
  ) {
    return isGrey(subject);
  }
  if (hasAny(words, "landscape", "horizontal")) return orientation(evidence) === "landscape";
  if (hasAny(words, "portrait", "vertical")) return orientation(evidence) === "portrait";
  if (hasAny(words, "square")) return orientation(evidence) === "square";
  if (hasAny(words, "bright", "day", "daytime")) return subject.brightness >= minBrightBrightness;
  if (hasAny(words, "dark", "dim", "night", "nighttime")) return subject.brightness < maxDarkBrightness;
  if (hasAny(words, "audio", "soundtrack")) return evidence.hasAudio;
  if (hasAny(words, "moving", "motion", "moves")) return !isMostly(subject, evidence.frozen);
  const color = colorNamed(words);
  if (color !== undefined) return hasColor(subject, color, hasAny(words, "is", "mainly", "mostly"));
  const kind = kindOf({ ...place, name: words, parentName: [] }, schema);
  return kind === undefined ? undefined : happens(place, kind, words);
}

function happens({ evidence, subject }: Place, kind: EventKind, words: readonly string[]): boolean | undefined {
  if (kind === "color") return !isGrey(subject);
  const asksForWhole = hasAny(words, "is", "entirely", "completely") || words.length === 1;
  if ((kind === "silent" || kind === "frozen") && asksForWhole) return isMostly(subject, evidence[kind]);
  if (kind === "scene") return eventsOf(evidence, "scene").length > 1;
  if (kind === "black" && subject.kind !== "video") return mainColor(subject) === "black";
  return eventsOf(evidence, kind).some((event) => overlap(event, subject) > 0);
}

function hasColor({ palette }: Subject, color: string, asMain: boolean): boolean {
  const shares = colorShares(palette);
  const name = spellGray(color);
  if (asMain) return shares[0]?.name === name;
  return (shares.find((share) => share.name === name)?.share ?? 0) >= minColorShare;
}

function isGrey({ palette }: Subject): boolean {
  const colorful = palette.filter(({ rgb }) => Math.max(...rgb) - Math.min(...rgb) > 40);
  return colorful.reduce((sum, { share }) => sum + share, 0) < 0.02;
}
