import { isJsonObject } from "@video-to-json/contract";
import type { ClipEvidence, Evidence, Mark } from "../evidence/look.ts";
import { type Answer, clockText, hasAny, parseJson, toAnswer, wordsOf } from "./answer.ts";
import { marksAsked, videoLabel } from "./marks.ts";
import { asSchema, type Schema } from "./schema.ts";

/** A field of a question for its place in the video: its id, its JSON pointer in an earlier answer, and its value. */
export type AskedField = { id: number; pointer: string; value: unknown };

/** Reads such a question: the schema has `id` and `spans`, the prompt lines of `{"id": …, "pointer": …, "value": …}`. */
export function fieldsToFind(schema: Schema, promptText: string): AskedField[] | undefined {
  const { id, spans } = asSchema(asSchema(asSchema(schema.properties?.fields).items)).properties ?? {};
  if (id === undefined || spans === undefined) return undefined;
  return promptText.split("\n").flatMap((line): AskedField[] => {
    const field = line.startsWith('{"id":') ? parseJson(line) : undefined;
    return isJsonObject(field) && typeof field.pointer === "string"
      ? [{ id: Number(field.id), pointer: field.pointer, value: field.value }]
      : [];
  });
}

/** Returns where the evidence shows each field. */
export function findMoments(fields: readonly AskedField[], evidence: Evidence): Answer {
  return toAnswer({ fields: fields.map((field) => ({ id: field.id, ...whereIs(field, fields, evidence) })) });
}

type Shown = { from: string; to: string; modality: "visual" | "speech" | "text"; quote?: string };
type Where = { where: "whole_video" | "nowhere" } | { spans: Shown[] };

const maxSpans = 4;
const momentMs = 1_000;

function whereIs(field: AskedField, fields: readonly AskedField[], evidence: Evidence): Where {
  const ms = timeIn(field.value);
  const siblings = fields.filter(({ pointer }) => parentOf(pointer) === parentOf(field.pointer));
  const near = siblings.map(({ value }) => timeIn(value)).find((time) => time !== undefined);
  const isValue = ["string", "number", "boolean"].includes(typeof field.value);
  const text = isValue && field.value !== "" ? String(field.value) : undefined;
  const events = evidence.marks.filter(({ label }) => label !== videoLabel);
  const spans = (ms === undefined ? marksWith(events, text, near, evidence) : edgeAt(events, ms, evidence)).map(
    (mark) => {
      const isQuote = mark.via === "text" && ms === undefined && Object.values(mark.attributes).includes(text ?? "");
      return { ...shown(mark), ...(isQuote && text ? { quote: text } : {}) };
    },
  );
  if (spans.length > 0) return { spans: spans.slice(0, maxSpans) };
  const isWhole = ms === undefined && near === undefined && evidence.durationMs > 0;
  return { where: isWhole ? "whole_video" : "nowhere" };
}

/** Returns the marks with a value: those that begin at the time beside it, if there is one. */
function marksWith(events: readonly Mark[], text: string | undefined, nearMs: number | undefined, evidence: Evidence) {
  const all = events.filter(({ attributes }) => text !== undefined && Object.values(attributes).includes(text));
  const written = evidence.isMarked ? [] : all.filter(({ via }) => via === "text");
  const named = written.length > 0 ? written : all;
  if (nearMs === undefined) return named;
  const beside = events.filter(({ startMs }) => isIn(startMs, nearMs));
  return [named.find((mark) => beside.includes(mark)) ?? beside[0]].filter((mark) => mark !== undefined);
}

/** Returns the beginning, or else the end, of a mark in the second of a time. */
function edgeAt(events: readonly Mark[], ms: number, { durationMs }: Evidence): Mark[] {
  const begins = events.find(({ startMs }) => isIn(startMs, ms));
  if (begins) {
    const { startMs, endMs } = begins;
    const lastMs = endMs > startMs ? Math.min(endMs, startMs + 3 * momentMs) : Math.min(durationMs, startMs + momentMs);
    return [{ ...begins, endMs: lastMs }];
  }
  const ends = events.find(({ endMs }) => isIn(endMs, ms));
  return ends ? [{ ...ends, startMs: Math.max(ends.startMs, ends.endMs - momentMs) }] : [];
}

function shown({ startMs, endMs, via }: Mark): Shown {
  const modality = via === "text" || via === "speech" ? via : "visual";
  return { from: clockText(startMs), to: clockText(endMs), modality };
}

function isIn(time: number, second: number): boolean {
  return time >= second && time < second + momentMs;
}

function timeIn(value: unknown): number | undefined {
  const [, minutes, seconds] = (typeof value === "string" && /^(\d{2}):(\d{2})$/.exec(value)) || [];
  return minutes === undefined ? undefined : (Number(minutes) * 60 + Number(seconds)) * 1000;
}

function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}

/** Returns whether a prompt says that the video is a clip with a clock in its pictures. */
export function isAboutClip(promptText: string): boolean {
  return /\bclip\b/i.test(promptText) && /\bclock\b/i.test(promptText);
}

/** Returns what a schema asks about things in a clip, each member a question. Undefined for another form. */
export function sightingsAsked(schema: Record<string, unknown>): [name: string, question: string][] | undefined {
  const members = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  const questions = members.flatMap(([name, member]): [string, string][] => {
    if (!isJsonObject(member)) return [];
    const { description, type, items, properties } = member;
    const isOther = type === "array" || items !== undefined || (isJsonObject(properties) && !("seen" in properties));
    return typeof description === "string" && !isOther ? [[name, description]] : [];
  });
  return questions.length > 0 && questions.length === members.length ? questions : undefined;
}

/** Returns whether questions about a clip need the texts in its picture. */
export function asksForText(questions: readonly [string, string][]): boolean {
  return questions.some(([, question]) => hasAny(wordsOf(question), "text", "title", "caption", "sign", "label"));
}

/** Writes the answers to questions about a clip, whose pictures last `pictureMs` each. */
export function answerClip(
  questions: readonly [string, string][],
  { evidence, clockMs }: ClipEvidence,
  pictureMs = 100,
): string {
  const answers = questions.map(([name, question]) => {
    const found = clockMs === null ? undefined : marksAsked(evidence, question);
    if (clockMs === null || !found) return [name, { seen: "cannot_tell", times: [] }];
    const times = found.map(({ startMs, endMs }) => ({
      from: clockText(clockMs + startMs),
      // The last picture that shows an event comes before its end.
      to: clockText(clockMs + Math.max(startMs, endMs - pictureMs)),
    }));
    return [name, { seen: times.length > 0 ? "here" : "not_here", times }];
  });
  return JSON.stringify(Object.fromEntries(answers));
}
