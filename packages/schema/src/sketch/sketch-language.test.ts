import { defaultLimits } from "@video-to-json/contract";
import { sketchExamples, sketchMistakes } from "@video-to-json/contract/sketch-language/examples";
import { sketchInBrief } from "@video-to-json/contract/sketch-language/words";
import { expect, test } from "vitest";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import { checkAnswer } from "../sandbox/check-answer.ts";
import { compileSchema } from "../sandbox/compile-schema.ts";
import { createKeptValidators } from "../sandbox/kept-validators.ts";
import { schemaWarnings } from "../warnings/schema-warnings.ts";

const reader = createSchemaReader();
const compile = (text: string) => compileSchema(reader, text, defaultLimits, null);
const compiled = (text: string) => {
  const outcome = compile(text);
  if ("details" in outcome) throw new Error(outcome.details.join("\n"));
  return outcome.compiled;
};
const compact = (text: string) => JSON.stringify(JSON.parse(text));

test.each(sketchExamples)(
  "the example “$title” compiles without a warning, and its answer conforms",
  ({ sketch, answer }) => {
    const schema = compiled(sketch);
    expect(schema.kind).toBe("sketch");
    expect(schemaWarnings(sketch)).toEqual([]);
    expect(checkAnswer(createKeptValidators(reader), schema, answer, 247_360)).toEqual({
      ok: true,
      text: compact(answer),
    });
  },
);

test("there are six worked examples", () => {
  expect(sketchExamples).toHaveLength(6);
});

test.each(sketchMistakes)(
  "the mistake $written is refused or has a warning, and its correction has neither",
  ({ written, isRefused, instead }) => {
    const wrong = `{${written}}`;
    expect("details" in compile(wrong)).toBe(isRefused);
    if (!isRefused) expect(schemaWarnings(wrong)).not.toEqual([]);
    expect(compiled(`{${instead}}`).kind).toBe("sketch");
    expect(schemaWarnings(`{${instead}}`)).toEqual([]);
  },
);

test("the example of the brief compiles without a warning", () => {
  const [, example = ""] = /Example: (\{.*\})\. /.exec(sketchInBrief) ?? [];
  expect(compiled(example).kind).toBe("sketch");
  expect(schemaWarnings(example)).toEqual([]);
});

test.each([
  ['{"title":{"type":"string"},"count":{"type":"integer"}}', false],
  ['{"product":"string|null","price":"number|null"}', true],
  ['{"name":"string","type":"string","enum":["a"]}', false],
  ['{"type":"string","title":"string"}', false],
  ['{"list":"string[]","scenes":"array"}', true],
  ['{"start":"number"}', false],
  ['{"items":[{"name":"string"}]}', true],
  ['{"type":"ad|news"}', true],
  ['{"scorer":null}', true],
])(
  "the guess %s of a person who does not know sketches is refused with a correction, or has a warning",
  (guess, isRefused) => {
    const outcome = compile(guess);
    expect("details" in outcome).toBe(isRefused);
    if ("details" in outcome) expect(outcome.details.join("\n")).toMatch(/write |one level deeper/);
    else expect(schemaWarnings(guess)).not.toEqual([]);
  },
);
