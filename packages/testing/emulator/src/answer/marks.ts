import { type Evidence, type Mark, overlap } from "../evidence/look.ts";
import { hasAny, wordsOf } from "./answer.ts";

/** The label of the mark whose attributes are facts about the whole video. */
export const videoLabel = "video";

/** The labels of a short look, and the words of names that mean them. The specific ones come first. */
const lookWords: Readonly<Record<string, readonly string[]>> = {
  black: ["black", "blank", "blackout", "blackouts"],
  silent: ["silent", "silence", "silences", "quiet", "mute", "muted"],
  sound: ["sound", "sounds", "loud", "noise", "noises", "beep", "beeps", "tone", "tones", "audio"],
  text: ["text", "texts", "title", "titles", "caption", "captions", "sign", "signs", "label", "labels"],
  cut: ["cut", "cuts", "transition", "transitions", "change", "changes"],
  scene: [
    ...["scene", "scenes", "shot", "shots", "segment", "segments", "part", "parts", "chapter", "chapters"],
    ...["events", "moments", "steps", "highlights", "timeline"],
  ],
};
const attributeWords: Readonly<Record<string, readonly string[]>> = {
  color: ["color", "colour", "background"],
  text: ["text", "title", "caption", "headline", "heading", "label", "sign"],
  summary: ["summary", "description", "overview", "what"],
  duration: ["duration", "length"],
  resolution: ["resolution", "size"],
};

/** Returns the marks of the most specific label in a name. Undefined if its words contain no label. */
export function marksNamed({ marks, isMarked }: Evidence, name: readonly string[]): Mark[] | undefined {
  const labels = isMarked ? [...new Set(marks.map(({ label }) => label))] : Object.keys(lookWords);
  const means = (label: string) =>
    isMarked
      ? wordsOf(label).every((word) => hasAny(name, ...numbersOf(word)))
      : hasAny(name, ...(lookWords[label] ?? []));
  const named = labels.filter((label) => label !== videoLabel && means(label));
  const [label] = named.sort((a, b) => wordsOf(b).length - wordsOf(a).length);
  return label === undefined ? undefined : marks.filter((mark) => mark.label === label);
}

function numbersOf(word: string): string[] {
  return [word, `${word}s`, `${word}es`, word.replace(/y$/, "ies")];
}

/** Returns the mark that an ordinal in the name asks for: the first one, without an ordinal. */
export function nthMark(marks: readonly Mark[], name: readonly string[]): Mark | undefined {
  if (hasAny(name, "last", "final")) return marks.at(-1);
  const position = ["first", "second", "third", "fourth"].findIndex((ordinal) => name.includes(ordinal));
  return marks[Math.max(0, position)];
}

export function attributeNamed({ attributes }: Mark, name: readonly string[], { isMarked }: Evidence) {
  const means = (key: string) =>
    wordsOf(key).join(" ") === name.join(" ") || (!isMarked && hasAny(name, ...(attributeWords[key] ?? [])));
  const key = Object.keys(attributes).find(means);
  return key === undefined ? undefined : attributes[key];
}

/**
 * Returns the marks that a question about a clip describes: a quoted name has their label, the last name first, and the
 * facts in the question agree with them. A fact that no mark has was invented, and says nothing. Undefined if a short
 * look does not know what the question is about.
 */
export function marksAsked(evidence: Evidence, question: string): Mark[] | undefined {
  const objects = [...question.matchAll(/\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/g)];
  const facts = objects.flatMap(([written]) => {
    try {
      return Object.entries(JSON.parse(written) as object).map(([key, value]) => [wordsOf(key), plain(value)] as const);
    } catch {
      return [];
    }
  });
  const rest = question.replace(/\{.*\}/g, " ");
  const names = [...rest.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => wordsOf(name)).reverse();
  const named = names.map((name) => marksNamed(evidence, name)).find((found) => found !== undefined);
  if (!named && !evidence.isMarked) return undefined;
  return (named ?? []).filter((mark) => {
    // A part of a scene may have another summary than the whole scene.
    const { summary, ...attributes } = mark.attributes;
    const known = facts.flatMap(([key, value]) => {
      const actual = attributeNamed({ ...mark, attributes }, key, evidence);
      return actual === undefined ? [] : [plain(actual) === value];
    });
    const agreeing = known.filter((agrees) => agrees).length;
    return agreeing === known.length || agreeing > known.length / 2;
  });
}

/** Returns a value without what reading a text from a picture gets wrong most easily. */
function plain(value: unknown): string {
  return (
    String(value)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, "") || String(value)
  );
}

/** Returns the marks that overlap another one. */
export function marksInside({ marks }: Evidence, outer: Mark | undefined): Mark[] {
  return outer ? marks.filter((mark) => mark !== outer && overlap(mark, outer) > 0) : marks;
}
