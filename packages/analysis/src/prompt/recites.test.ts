import { expect, test } from "vitest";
import { recitalOf } from "./recites.ts";
import { systemPrompt } from "./system-prompt.ts";

const sentence = "A list of things that never happen is an empty list.";

test("a sentence of the system prompt in an answer is seen, however it is written", () => {
  const recites = recitalOf(systemPrompt, []);
  for (const text of [systemPrompt, sentence, sentence.toUpperCase(), sentence.replaceAll(" ", "\n* ")]) {
    expect(recites(JSON.stringify({ note: text }))).toBe(true);
  }
  expect(recites(JSON.stringify(sentence.split(" ")))).toBe(true);
  expect(recites(sentence.replaceAll(" ", " — « "))).toBe(true);
  expect(recites("a list of things that never happen is")).toBe(true);
  expect(recites("A LIST OF A list of things that never happen is")).toBe(true);
});

test("an honest answer is none, nor are the caller's own words", () => {
  const answer = '{"title":"The goal","at":"00:07","note":"From the start of the video the red team is ahead."}';
  const recites = recitalOf(systemPrompt, []);
  for (const text of [
    answer,
    "",
    "a list of things that never happen",
    "a list of things that never happens is",
    "a list of things that neverhappen is an",
  ]) {
    expect(recites(text), text).toBe(false);
  }
  const own = recitalOf(systemPrompt, ["", `The rule says: ${sentence}`]);
  expect(own(sentence)).toBe(false);
  expect(own(systemPrompt)).toBe(true);
});

test("a text is read from its beginning to its end, once, whatever it holds", () => {
  let read = 0;
  const counted = (text: string) => {
    const charCodeAt = (at: number) => {
      read++;
      return text.charCodeAt(at);
    };
    return { length: text.length, charCodeAt } as unknown as string;
  };
  const almost = "A list of things that never. ".repeat(50);
  const recites = recitalOf(systemPrompt, [counted(almost)]);
  for (const text of [almost, "a ".repeat(500), "\\".repeat(500)]) recites(counted(text));
  expect(read).toBeLessThanOrEqual(2 * (2 * almost.length + 2000));
});
