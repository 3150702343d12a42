import { expect, test } from "vitest";
import { recites } from "./recites.ts";
import { systemPrompt } from "./system-prompt.ts";

const sentence = "A list of things that never happen is an empty list.";

test("a sentence of the system prompt in an answer is seen, however it is written", () => {
  for (const text of [systemPrompt, sentence, sentence.toUpperCase(), sentence.replaceAll(" ", "\n* ")]) {
    expect(recites(JSON.stringify({ note: text }), systemPrompt, [])).toBe(true);
  }
  expect(recites(JSON.stringify(sentence.split(" ")), systemPrompt, [])).toBe(true);
});

test("an honest answer is none, nor are the caller's own words", () => {
  const answer = '{"title":"The goal","at":"00:07","note":"From the start of the video the red team is ahead."}';
  expect(recites(answer, systemPrompt, [])).toBe(false);
  expect(recites("", systemPrompt, [])).toBe(false);
  expect(recites(sentence, systemPrompt, [`The rule says: ${sentence}`])).toBe(false);
});
