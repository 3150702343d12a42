import type { Evidence, Span } from "../evidence/evidence.ts";
import type { Subject } from "./event.ts";
import { mainColor, overlap } from "./place.ts";

/** Returns one or two sentences about the subject, from the evidence only. Undefined without evidence. */
export function describe(subject: Subject, evidence: Evidence): string | undefined {
  if (evidence.durationMs === 0) return undefined;
  if (subject.kind === "video") return describeVideo(evidence);
  const color = mainColor(subject);
  const parts = [`A ${color ?? "plain"} picture`];
  if (subject.text !== null) parts.push(`with the text “${subject.text}”`);
  parts.push(soundOf(subject, evidence));
  return `${parts.join(" ")}.`;
}

function describeVideo({ durationMs, scenes, texts, appearance, silent, black, frozen }: Evidence): string {
  const seconds = Math.round(durationMs / 1000);
  const sentences = [
    `A video of ${seconds} seconds in ${scenes.length === 1 ? "one scene" : `${scenes.length} scenes`}, mainly ${mainColor(appearance) ?? "plain"}.`,
  ];
  const written = [...new Set(texts.map(({ text }) => `“${text}”`))];
  if (written.length > 0) sentences.push(`It shows the text ${written.join(", ")}.`);
  if (black.length > 0) sentences.push(`The picture is black ${times(black.length)}.`);
  if (frozen.length > 0) sentences.push(`The picture is frozen ${times(frozen.length)}.`);
  if (silent.length > 0) sentences.push(`It is silent ${times(silent.length)}.`);
  return sentences.join(" ");
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function soundOf(subject: Subject, { silent }: Evidence): string {
  return isMostly(subject, silent) ? "in silence" : "with sound";
}

/** Returns whether spans cover most of a subject. */
export function isMostly(subject: Subject, spans: readonly Span[]): boolean {
  const covered = spans.reduce((sum, span) => sum + Math.max(0, overlap(span, subject)), 0);
  return covered > 0 && covered >= 0.6 * (subject.endMs - subject.startMs);
}
