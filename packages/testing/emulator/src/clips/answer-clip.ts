import { isJsonObject } from "@video-to-json/contract";
import { eventsOf, type Subject } from "../answer/event.ts";
import { colorShares, spellGray } from "../evidence/color-names.ts";
import type { Evidence, Span } from "../evidence/evidence.ts";
import { readQuestion, type Wanted } from "./clip-question.ts";
import { marksAsked } from "./marks-asked.ts";

/**
 * The evidence of a clip, and what its clock shows in the first picture. Null: the clock cannot be read. `pictureMs`: how
 * long each of its pictures lasts; a tenth of a second if that is not known.
 */
export type ClipEvidence = { evidence: Evidence; clockMs: number | null; pictureMs?: number };

/** Whether the clip shows something, and when, according to the clock in the picture. */
export type SeenInClip = { seen: "here" | "not_here" | "cannot_tell"; times: Span[] };

/** The smallest share of a picture with a colour, and the smallest similarity of two texts. */
const minColorShare = 0.2;
const minLikeness = 0.6;

/** Returns what the clip shows of a question's subject, which the question describes in plain words. */
export function lookForEvent(question: string, { evidence, clockMs }: ClipEvidence): SeenInClip {
  const wanted = readQuestion(question);
  const { marks } = evidence;
  const found = clockMs === null ? undefined : marks ? marksAsked(marks, question) : findEvents(wanted, evidence);
  if (clockMs === null || found === undefined) return { seen: "cannot_tell", times: [] };
  const times = found.map(({ startMs, endMs }) => ({ startMs: clockMs + startMs, endMs: clockMs + endMs }));
  return { seen: times.length > 0 ? "here" : "not_here", times };
}

function findEvents({ kind, color, text }: Wanted, evidence: Evidence): Span[] | undefined {
  const asked = kind === "color" || (kind === undefined && color !== undefined) ? "scene" : kind;
  const chosen = asked ?? (text === undefined ? undefined : "text");
  if (chosen === undefined) return undefined;
  const events = eventsOf(evidence, chosen);
  const byColor = color === undefined || chosen === "black" ? events : events.filter((event) => hasColor(event, color));
  const wantsText = text !== undefined && (chosen === "text" || events.some((event) => event.text !== null));
  const byText = wantsText ? byColor.filter((event) => event.text !== null && isLike(event.text, text)) : byColor;
  return byText.map(({ startMs, endMs }) => ({ startMs, endMs: chosen === "cut" ? startMs : endMs }));
}

function hasColor({ palette }: Subject, color: string): boolean {
  const name = spellGray(color);
  return colorShares(palette).some((share) => share.name === name && share.share >= minColorShare);
}

/** Returns whether two texts share most of their letter pairs, because reading text from pictures makes mistakes. */
function isLike(one: string, other: string): boolean {
  const [a, b] = [pairsOf(one), pairsOf(other)];
  if (a.size === 0 || b.size === 0) return one.toLowerCase() === other.toLowerCase();
  const common = [...a].filter((pair) => b.has(pair)).length;
  return common / Math.min(a.size, b.size) >= minLikeness;
}

function pairsOf(text: string): Set<string> {
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)));
}

/** Returns whether a schema asks for sightings: whether things are in a clip, and when. */
export function asksForSightings(schema: Record<string, unknown>): boolean {
  const members = isJsonObject(schema.properties) ? Object.values(schema.properties) : [];
  return members.length > 0 && members.every((member) => isJsonObject(member) && isSighting(member));
}

/** A list, or an object with other members, asks for something else. */
function isSighting({ description, type, items, properties }: Record<string, unknown>): boolean {
  const isOther = type === "array" || items !== undefined || (isJsonObject(properties) && !("seen" in properties));
  return typeof description === "string" && !isOther;
}

/** Returns whether a question about a clip needs the texts in its picture. */
export function asksForText(schema: Record<string, unknown>): boolean {
  const members = isJsonObject(schema.properties) ? Object.values(schema.properties) : [];
  return members.some((member) => {
    const question = isJsonObject(member) && typeof member.description === "string" ? member.description : "";
    const { kind, text } = readQuestion(question);
    return kind === "text" || text !== undefined;
  });
}

/**
 * Writes the answer to the questions about a clip: one for each member of the schema that is an object with a
 * description. Returns undefined for a schema of another form.
 */
export function answerClip(
  schema: Record<string, unknown>,
  clip: ClipEvidence,
  look: typeof lookForEvent = lookForEvent,
): string | undefined {
  const members = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  const answers = members.flatMap(([name, member]) => {
    if (!isJsonObject(member) || !isSighting(member) || typeof member.description !== "string") return [];
    const { seen, times } = look(member.description, clip);
    const written = times.map(({ startMs, endMs }) => ({
      from: clockText(startMs),
      to: clockText(lastPicture(startMs, endMs, clip.pictureMs)),
    }));
    return [[name, { seen, times: written }]];
  });
  return answers.length === members.length && members.length > 0
    ? JSON.stringify(Object.fromEntries(answers))
    : undefined;
}

/** The last picture that shows an event comes before its end. */
function lastPicture(startMs: number, endMs: number, pictureMs = 100): number {
  return Math.max(startMs, endMs - pictureMs);
}

function clockText(ms: number): string {
  const tenths = Math.floor((ms + 1) / 100);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(tenths / 600))}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}
