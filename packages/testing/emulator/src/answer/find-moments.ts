import { isJsonObject } from "@video-to-json/contract";
import type { Evidence, Span } from "../evidence/evidence.ts";
import { type Answer, toAnswer } from "./answer.ts";
import { type EventKind, eventsOf, type Subject } from "./event.ts";
import { findMarkedMoments, type ShownPart } from "./marks/find-marked-moments.ts";
import { mainColor, overlap } from "./place.ts";
import { asSchema, type Schema } from "./schema.ts";

/** A field of a question for its place in the video: its JSON pointer in an earlier answer, and its value. */
export type AskedField = { pointer: string; value: unknown };

/**
 * Returns the fields of a question that asks where the video shows them: the schema has entries with `pointer` and
 * `spans`, and the prompt has the fields, one a line, as `{"pointer": …, "value": …}`. Undefined for another question.
 */
export function fieldsToFind(schema: Schema, promptText: string): AskedField[] | undefined {
  const { pointer, spans } = asSchema(asSchema(asSchema(schema.properties?.fields).items)).properties ?? {};
  if (pointer === undefined || spans === undefined) return undefined;
  return promptText.split("\n").flatMap((line): AskedField[] => {
    const field = line.startsWith('{"pointer":') ? parse(line) : undefined;
    return isJsonObject(field) && typeof field.pointer === "string"
      ? [{ pointer: field.pointer, value: field.value }]
      : [];
  });
}

/** Returns where the evidence shows each field. */
export function findMoments(fields: readonly AskedField[], evidence: Evidence): Answer {
  return toAnswer({ fields: fields.map((field) => ({ pointer: field.pointer, ...whereIs(field, fields, evidence) })) });
}

type Shown = { from: string; to: string; modality: "visual" | "speech" | "text"; quote?: string };
type Where = { where: "moments" | "whole_video" | "nowhere"; spans: Shown[] };

const maxSpans = 4;
const nowhere: Where = { where: "nowhere", spans: [] };

function whereIs(field: AskedField, fields: readonly AskedField[], evidence: Evidence): Where {
  const ms = timeIn(field.value);
  const siblings = fields.filter(({ pointer }) => parentOf(pointer) === parentOf(field.pointer));
  const near = siblings.map(({ value }) => timeIn(value)).find((time) => time !== undefined);
  if (evidence.marks) {
    const text = ["string", "number", "boolean"].includes(typeof field.value) ? String(field.value) : undefined;
    const parts = findMarkedMoments({ timeMs: ms, timeBesideMs: near, text }, evidence.marks);
    if (parts.length > 0) return { where: "moments", spans: parts.slice(0, maxSpans).map(asShown) };
    return ms === undefined && near === undefined ? { where: "whole_video", spans: [] } : nowhere;
  }
  if (ms !== undefined) return moments(eventAt(evidence, ms));
  const within = near === undefined ? undefined : eventAt(evidence, near)[0];
  const texts = textsLike(evidence, field.value).filter((text) => !within || overlap(text, within) > 0);
  if (texts.length > 0) return moments(texts);
  if (within) return moments([within]);
  const scenes = evidence.scenes.filter((scene) => mainColor(scene) === field.value);
  const isPart = scenes.length > 0 && scenes.length < evidence.scenes.length;
  return isPart ? moments(scenes) : evidence.durationMs > 0 ? { where: "whole_video", spans: [] } : nowhere;
}

type Found = Span & { text?: string | null; kind?: Subject["kind"] };

function moments(found: readonly Found[]): Where {
  if (found.length === 0) return nowhere;
  const spans = found.slice(0, maxSpans).map(({ startMs, endMs, text, kind }): Shown => {
    const times = { from: timeText(startMs), to: timeText(endMs) };
    return kind === "text" && text ? { ...times, modality: "text", quote: text } : { ...times, modality: "visual" };
  });
  return { where: "moments", spans };
}

function asShown({ startMs, endMs, ...how }: ShownPart): Shown {
  return { from: timeText(startMs), to: timeText(endMs), ...how };
}

const kinds: readonly EventKind[] = ["text", "cut", "black", "frozen", "loud", "silent", "scene"];
const momentMs = 1_000;

/** Returns the event that begins in the second of a time, or else the moment at which one ends. */
function eventAt(evidence: Evidence, ms: number): Found[] {
  const isIn = (time: number) => time >= ms && time < ms + 1_000;
  const events = kinds.flatMap((kind) => eventsOf(evidence, kind));
  const begins = events.find(({ startMs }) => isIn(startMs));
  if (begins) return [{ ...begins, endMs: Math.min(begins.endMs, begins.startMs + 3 * momentMs) }];
  const ends = events.find(({ endMs }) => isIn(endMs) || (ms > evidence.durationMs - 1_000 && endMs >= ms));
  return ends ? [{ startMs: Math.max(ends.startMs, ends.endMs - momentMs), endMs: ends.endMs }] : [];
}

function textsLike({ texts }: Evidence, value: unknown): Found[] {
  const wanted = plain(value);
  const isLike = (text: string) => wanted !== "" && (plain(text).includes(wanted) || wanted.includes(plain(text)));
  return texts.filter(({ text }) => plain(text) !== "" && isLike(text)).map((text) => ({ ...text, kind: "text" }));
}

function plain(value: unknown): string {
  return typeof value === "string" ? value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") : "";
}

function timeIn(value: unknown): number | undefined {
  const [, minutes, seconds] = (typeof value === "string" && /^(\d{2}):(\d{2})$/.exec(value)) || [];
  return minutes === undefined ? undefined : (Number(minutes) * 60 + Number(seconds)) * 1000;
}

/** Returns a time as `MM:SS.s`. */
function timeText(ms: number): string {
  const tenths = Math.floor(ms / 100);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(tenths / 600))}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}

function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
