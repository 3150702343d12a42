import { expect, test } from "vitest";
import { clipSchema, writeClipPrompt } from "./clip-question.ts";

test("the prompt of a clip names its part of the video and holds every question, in the schema and as text", () => {
  const schema = clipSchema([{ what: "a goal by Ada" }, { what: "the whistle" }]);
  const prompt = writeClipPrompt({ fromMs: 70_000, toMs: 92_500 }, schema);
  expect(prompt).toContain("from 01:10.0 to 01:32.5");
  expect(prompt).toContain("When does this happen? a goal by Ada");
  expect(Object.keys(schema.properties as object)).toEqual(["question_1", "question_2"]);
  expect(schema.required).toEqual(["question_1", "question_2"]);
});
