import { expect, test } from "vitest";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import { checkAnswer } from "./check-answer.ts";
import { compileSchema } from "./compile-schema.ts";
import { createKeptValidators } from "./kept-validators.ts";

const reader = createSchemaReader();
const limits = { maxSchemaBytes: 100_000, maxSchemaDepth: 64, maxSchemaValues: 10_000 };

function check(schema: object, answerText: string) {
  const compilation = compileSchema(reader, JSON.stringify(schema), limits, null);
  if (!("compiled" in compilation)) throw new Error(JSON.stringify(compilation));
  const checked = checkAnswer(createKeptValidators(reader), compilation.compiled, answerText, 10_000);
  if (checked.ok) throw new Error("the answer conforms");
  return checked;
}

const secret = "the butler did it";
const object = (members: object) => ({ type: "object", ...members });

test.each([
  ["a key that must be short", object({ properties: { facts: { propertyNames: { maxLength: 0 } } } }), "/facts/*"],
  ["a key that is not allowed", object({ properties: { facts: { additionalProperties: false } } }), "/facts/*"],
  ["the value of a key", object({ properties: { facts: { additionalProperties: { minLength: 99 } } } }), "/facts/*"],
  ["a key of a pattern", object({ properties: { facts: { patternProperties: { b: { type: "null" } } } } }), "/facts/*"],
  ["a key that is unevaluated", object({ properties: { facts: { unevaluatedProperties: false } } }), "/facts/*"],
])("details do not quote %s, and the model still reads it", (_name, schema, at) => {
  const answer = { facts: { [secret]: secret, [`${secret} too`]: secret, "12345": secret } };
  const { violations, violationsForCaller } = check(
    { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema },
    JSON.stringify(answer),
  );
  expect(violations.join()).toContain(secret);
  expect(violationsForCaller[0]?.split(":")[0]).toBe(at);
  expect(violationsForCaller.join()).not.toMatch(/butler|12345/);
});

test("details keep the keys that the schema names, and the indices of lists", () => {
  const list = { type: "array", items: object({ properties: { a: { type: "null" } }, required: ["b"] }) };
  const schema = object({ properties: { list, "x/y": { type: "null" } } });
  expect(check(schema, '{"list":[{"b":1},{"a":1}],"x/y":1}').violationsForCaller).toEqual([
    "/list/1/b: is missing; it is required",
    "/list/1/a: must be null, not number",
    "/x~1y: must be null, not number",
  ]);
});

test("details quote neither the answer that is not JSON, nor a key that is written twice, nor a time", () => {
  expect(check({ a: "string" }, `{"a": ${secret}}`).violationsForCaller).toEqual([": is not valid JSON"]);
  expect(check({ a: "string" }, `{"a":"x","${secret}":1,"${secret}":2}`).violationsForCaller).toEqual([
    "/*: is written twice in its object; write each key once",
  ]);
  expect(check({ at: "MM:SS" }, '{"at":"04:31"}').violationsForCaller).toEqual([
    "/at: is past the end of the video, which ends at 00:10",
  ]);
});
