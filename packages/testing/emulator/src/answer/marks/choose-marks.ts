import type { Mark } from "../../evidence/evidence.ts";
import { overlap } from "../place.ts";
import { hasAny, wordsOf } from "../words.ts";

/** The label of the mark whose attributes are facts about the whole video. */
export const videoLabel = "video";

/**
 * Returns the marks that the words of a name ask for, in order of time: those with the most specific label that the words
 * contain, in the singular or the plural. Undefined if they contain no label.
 */
export function marksNamed(marks: readonly Mark[], name: readonly string[]): Mark[] | undefined {
  const labels = [...new Set(marks.map(({ label }) => label))].filter((label) => label !== videoLabel);
  const named = labels.filter((label) => wordsOf(label).every((word) => hasAny(name, ...numbersOf(word))));
  const [label] = named.sort((a, b) => wordsOf(b).length - wordsOf(a).length);
  return label === undefined ? undefined : marks.filter((mark) => mark.label === label);
}

/** Returns the marks that overlap another one. */
export function marksInside(marks: readonly Mark[], outer: Mark | undefined): readonly Mark[] {
  return outer ? marks.filter((mark) => mark !== outer && overlap(mark, outer) > 0) : marks;
}

/** Returns the mark that an ordinal in the name asks for: the first one, without an ordinal. */
export function nthMark(marks: readonly Mark[], name: readonly string[]): Mark | undefined {
  if (hasAny(name, "last", "final")) return marks.at(-1);
  const position = ["first", "second", "third", "fourth"].findIndex((ordinal) => name.includes(ordinal));
  return marks[Math.max(0, position)];
}

/** Returns the attribute that a name asks for, or undefined. */
export function attributeNamed({ attributes }: Mark, name: readonly string[]): string | undefined {
  const key = Object.keys(attributes).find((each) => wordsOf(each).join(" ") === name.join(" "));
  return key === undefined ? undefined : attributes[key];
}

function numbersOf(word: string): string[] {
  return [word, `${word}s`, `${word}es`, word.replace(/y$/, "ies")];
}
