import { isJsonObject } from "@video-to-json/contract";
import type { ClipEvidence } from "../evidence/evidence.ts";
import { hasAny, wordsOf } from "./answer.ts";
import { marksAsked } from "./marks.ts";
import { clockText } from "./times.ts";

/** Returns whether a prompt says that the video is a clip with a clock in its pictures. */
export function isAboutClip(promptText: string): boolean {
  return /\bclip\b/i.test(promptText) && /\bclock\b/i.test(promptText);
}

/**
 * Returns the questions of a schema that asks for sightings: whether things are in a clip, and when. Each member is a
 * question, its description. Undefined for a schema of another form, such as one with lists.
 */
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
