import { isJsonObject } from "@video-to-json/contract";
import { marksNamed } from "../answer/marks/choose-marks.ts";
import { wordsOf } from "../answer/words.ts";
import type { Mark } from "../evidence/evidence.ts";

/**
 * Returns the marks that a question about a clip describes: a quoted name has their label, the last name first, and the
 * facts in the question agree with them. A fact that no mark has was invented, and says nothing.
 */
export function marksAsked(marks: readonly Mark[], question: string): Mark[] {
  const facts = factsIn(question);
  const rest = question.replace(/\{.*\}/g, " ");
  const names = [...rest.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => wordsOf(name)).reverse();
  const named = names.map((name) => marksNamed(marks, name)).find((found) => found !== undefined) ?? [];
  return named.filter(({ attributes }) => {
    const known = facts.filter(([key]) => attributes[key] !== undefined);
    const agreeing = known.filter(([key, value]) => attributes[key] === value);
    return agreeing.length === known.length || agreeing.length > known.length / 2;
  });
}

function factsIn(question: string): [key: string, value: string][] {
  return [...question.matchAll(/\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/g)].flatMap(([written]) => {
    try {
      const facts: unknown = JSON.parse(written);
      return isJsonObject(facts)
        ? Object.entries(facts).map(([key, value]): [string, string] => [key, String(value)])
        : [];
    } catch {
      return [];
    }
  });
}
