import { isJsonObject } from "@video-to-json/contract";
import { type EventKind, kindIn } from "../answer/event.ts";
import { colorNamed } from "../answer/place.ts";
import { wordsOf } from "../answer/words.ts";
import { isColorName } from "../evidence/color-names.ts";

/** The parts of a question about a clip that the evidence can answer. */
export type Wanted = { kind: EventKind | undefined; color: string | undefined; text: string | undefined };

/** Returns whether a prompt says that the video is a clip with a clock in its pictures. */
export function isAboutClip(promptText: string): boolean {
  return /\bclip\b/i.test(promptText) && /\bclock\b/i.test(promptText);
}

/**
 * Reads a question in plain words: names in quotes, facts as JSON, and the words that say what a name means. The most
 * specific one that names a kind of event decides: a fact, the last name, an earlier one, then the other words.
 */
export function readQuestion(question: string): Wanted {
  const facts = factsIn(question);
  const rest = facts.reduce((text, { written }) => text.replace(written, " "), question);
  const names = [...rest.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => wordsOf(name)).reverse();
  const meanings = [...rest.matchAll(/means: ([^.]*)|\(([^)]*)\)/g)].map(([, one, other]) =>
    wordsOf(one ?? other ?? ""),
  );
  const values = facts.flatMap(({ members }) => members);
  const kinds = values.filter(([key]) => /^(type|kind|event|what|category|label)$/i.test(key));
  const said = [...kinds.map(([, value]) => wordsOf(value)), ...names, ...meanings];
  const color =
    values.map(([, value]) => colorIn(value)).find((found) => found !== undefined) ??
    [...names, ...meanings].map((words) => colorNamed(words)).find((found) => found !== undefined);
  const texts = values.filter(([key]) =>
    /text|title|caption|headline|heading|label|words?|message|sign|quote/i.test(key),
  );
  const kind = said.map((words) => kindIn(words)).find((found) => found !== undefined);
  return { kind, color, text: texts.map(([, value]) => value).find((value) => kindIn(wordsOf(value)) === undefined) };
}

type Facts = { written: string; members: [key: string, value: string][] };

/** Returns the string members of the JSON objects in a text. */
function factsIn(text: string): Facts[] {
  return [...text.matchAll(/\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/g)].flatMap(([written]) => {
    try {
      const value: unknown = JSON.parse(written);
      if (!isJsonObject(value)) return [];
      const members = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
      return [{ written, members }];
    } catch {
      return [];
    }
  });
}

/** Black and white count in a value, which names a colour on purpose. */
function colorIn(value: string): string | undefined {
  const words = wordsOf(value);
  return words.length <= 2 ? words.find(isColorName) : colorNamed(words);
}
