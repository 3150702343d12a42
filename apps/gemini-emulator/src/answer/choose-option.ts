import { basicColors, colorShares, isColorName } from "../evidence/color-names.ts";
import { isMostly } from "./describe.ts";
import { type EventKind, kindIn, type Subject } from "./event.ts";
import { fillBoolean } from "./fill-boolean.ts";
import { orientation } from "./fill-string.ts";
import { colorNamed, type Place, subjectOf } from "./place.ts";
import type { Schema } from "./schema.ts";
import { hasAny, wordsOf } from "./words.ts";

/** The option that the evidence supports; undefined when it supports none. */
export function chooseOption(place: Place, schema: Schema, options: readonly string[]): string | undefined {
  const subject = aboutWhat(place, schema);
  return (
    byText(subject, options) ??
    byColor(subject, options) ??
    byKind(place.subject, options) ??
    options.find((option) => fits(wordsOf(option), subject, place)) ??
    byTruth(place, schema, options)
  );
}

/** The option that stands for not knowing, else the first. */
export function optionForUnknown(options: readonly unknown[]): unknown {
  return (
    options.find(
      (option) => typeof option === "string" && /^(unknown|unclear|none|n\/?a|other|not[ _-]\w+)$/i.test(option),
    ) ?? options[0]
  );
}

function aboutWhat(place: Place, schema: Schema): Subject {
  if (place.subject.kind !== "video") return place.subject;
  const asked = place.name.filter((word) => colorNamed([word]) === undefined && kindIn([word]) !== "color");
  return subjectOf({ ...place, name: asked }, { ...schema, description: "" }) ?? place.subject;
}

function byText({ text }: Subject, options: readonly string[]): string | undefined {
  if (text === null) return undefined;
  const plain = (words: string) => ` ${wordsOf(words).join(" ")} `;
  return options.find(
    (option) => wordsOf(option).length > 0 && plain(text).includes(plain(option)) && !isColorName(option),
  );
}

const leastShare = 0.15;

function byColor({ kind, palette }: Subject, options: readonly string[]): string | undefined {
  const colors = options.filter(isColorName);
  if (colors.length < 2 || palette.length === 0) return undefined;
  // Measured against all colours first, so that `other` can be right.
  const among = colorShares(palette, [...new Set([...colors, ...basicColors.filter((name) => !same(name, colors))])]);
  // An item of a list of colours is one colour: where that is not offered, the item is not wanted.
  if (kind === "color" && !colors.includes(among[0]?.name ?? "")) return undefined;
  const best = among.find(({ name, share }) => colors.includes(name) && share >= leastShare);
  if (best) return best.name;
  const other = options.find((option) => /^(other|none|mixed|unknown|multi\w*)$/i.test(option));
  return other ?? colorShares(palette, colors)[0]?.name;
}

function same(name: string, colors: readonly string[]): boolean {
  return colors.some((color) => color.toLowerCase().replace("grey", "gray") === name);
}

function byKind({ kind }: Subject, options: readonly string[]): string | undefined {
  if (kind === "video") return undefined;
  return options.find((option) => kindIn(wordsOf(option)) === (kind satisfies EventKind));
}

function fits(words: readonly string[], subject: Subject, { evidence }: Place): boolean {
  if (evidence.durationMs === 0) return false;
  const isSilent = isMostly(subject, evidence.silent);
  if (hasAny(words, "landscape", "horizontal")) return orientation(evidence) === "landscape";
  if (hasAny(words, "portrait", "vertical")) return orientation(evidence) === "portrait";
  if (hasAny(words, "square")) return orientation(evidence) === "square";
  if (hasAny(words, "silent", "silence", "quiet", "mute", "muted")) return isSilent;
  if (hasAny(words, "loud", "sound", "audible", "tone", "noise", "noisy")) return !isSilent;
  if (hasAny(words, "dark", "night", "dim", "low")) return subject.brightness < 0.4;
  if (hasAny(words, "bright", "day", "light", "high")) return subject.brightness >= 0.4;
  if (hasAny(words, "static", "still", "frozen", "motionless")) return isMostly(subject, evidence.frozen);
  if (hasAny(words, "moving", "motion", "dynamic")) return !isMostly(subject, evidence.frozen);
  return false;
}

function byTruth(place: Place, schema: Schema, options: readonly string[]): string | undefined {
  const yes = options.find((option) => /^(yes|true|present|on)$/i.test(option));
  const no = options.find((option) => /^(no|false|absent|off)$/i.test(option));
  if (yes === undefined || no === undefined) return undefined;
  const truth = fillBoolean(place, schema);
  return truth === undefined ? undefined : truth ? yes : no;
}
