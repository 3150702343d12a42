import { basicColors, colorShares, isColorName, spellGray } from "../evidence/color-names.ts";
import { isMostly } from "./describe.ts";
import { type EventKind, kindIn, type Subject } from "./event.ts";
import { fillBoolean } from "./fill-boolean.ts";
import { orientation } from "./fill-string.ts";
import { colorNamed, type Place, subjectOf } from "./place.ts";
import type { Schema } from "./schema.ts";
import { hasAny, wordsOf } from "./words.ts";

/** Returns the option that the evidence supports, or undefined if it supports no option. */
export function chooseOption(place: Place, schema: Schema, options: readonly string[]): string | undefined {
  const subject = subjectOfChoice(place, schema);
  return (
    byText(subject, options) ??
    byColor(subject, options) ??
    byKind(place.subject, options) ??
    options.find((option) => fits(wordsOf(option), subject, place)) ??
    byTruth(place, schema, options)
  );
}

/** Returns the option that means "unknown", or else the first. */
export function optionForUnknown(options: readonly unknown[]): unknown {
  return (
    options.find(
      (option) => typeof option === "string" && /^(unknown|unclear|none|n\/?a|other|not[ _-]\w+)$/i.test(option),
    ) ?? options[0]
  );
}

function subjectOfChoice(place: Place, schema: Schema): Subject {
  if (place.subject.kind !== "video") return place.subject;
  const name = place.name.filter((word) => colorNamed([word]) === undefined && kindIn([word]) !== "color");
  return subjectOf({ ...place, name }, { ...schema, description: "" }) ?? place.subject;
}

function byText({ text }: Subject, options: readonly string[]): string | undefined {
  if (text === null) return undefined;
  const plain = (words: string) => ` ${wordsOf(words).join(" ")} `;
  return options.find(
    (option) => wordsOf(option).length > 0 && plain(text).includes(plain(option)) && !isColorName(option),
  );
}

const minShare = 0.15;

function byColor({ kind, palette }: Subject, options: readonly string[]): string | undefined {
  const colors = options.filter(isColorName);
  if (colors.length < 2 || palette.length === 0) return undefined;
  // All basic colours compete, so that `other` can be the right option.
  const shares = colorShares(palette, [
    ...new Set([...colors, ...basicColors.filter((name) => !isIncluded(name, colors))]),
  ]);
  // An item of a list of colours is one colour. If it is not an option, the item does not belong in the list.
  if (kind === "color" && !colors.includes(shares[0]?.name ?? "")) return undefined;
  const best = shares.find(({ name, share }) => colors.includes(name) && share >= minShare);
  if (best) return best.name;
  const other = options.find((option) => /^(other|none|mixed|unknown|multi\w*)$/i.test(option));
  return other ?? colorShares(palette, colors)[0]?.name;
}

function isIncluded(name: string, colors: readonly string[]): boolean {
  return colors.some((color) => spellGray(color.toLowerCase()) === name);
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
