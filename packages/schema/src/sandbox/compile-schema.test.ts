import { defaultLimits } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import { fullDialect } from "../lean/schema-dialect.ts";
import { checkAnswer } from "./check-answer.ts";
import { compileSchema } from "./compile-schema.ts";
import { createKeptValidators } from "./kept-validators.ts";

const reader = createSchemaReader();

test("the details of a refusal stay small, even with long keys and many errors", () => {
  const key = "k".repeat(100_000);
  const nulls = Array.from({ length: 700 }, (_, at) => `"${at}":null`).join();
  for (const [text, count] of [
    [`{"${key}":{${nulls}}}`, 50],
    [`{"${key}":{"\\ud800":0}}`, 1],
    [`{"properties":{"${key}":{"pattern":"("}}}`, 1],
    [`{"properties":{"${key}":{"$ref":"#/${key}"}}}`, 1],
  ] as const) {
    const outcome = compileSchema(reader, text, defaultLimits, fullDialect);
    const details = "details" in outcome ? outcome.details : [];
    expect(details).toHaveLength(count);
    expect(details[0]).toMatch(/^\/.*kkk…$/);
    for (const detail of details) expect(detail.length).toBeLessThanOrEqual(500);
  }
});

const details = (text: string) => {
  const outcome = compileSchema(reader, text, defaultLimits, fullDialect);
  return "details" in outcome ? outcome.details : [];
};

test("options that are all types and a type with brackets are refused, with what to write", () => {
  expect(details('{"product":"string|null","goals":[{"by":"string[]"}],"price":null}')).toEqual([
    expect.stringMatching(/^\/price: null/),
    expect.stringMatching(/^\/product: write "string\?"; /),
    expect.stringMatching(/^\/goals\/0\/by: write \["string"\]; /),
  ]);
});

test("an OpenAPI document is refused as a sketch, and is the schema of the shape that a reference at its root names", () => {
  const shapes = {
    Goal: { type: "object", properties: { at: { $ref: "#/components/schemas/Time" } } },
    Time: { type: "string" },
  };
  const document = {
    openapi: "3.1.0",
    info: { title: "Goals", version: "1" },
    paths: {},
    components: { schemas: shapes },
  };
  expect(details(JSON.stringify(document))).toEqual([expect.stringContaining('add "$ref": "#/components/schemas/…"')]);
  const named = JSON.stringify({ $ref: "#/components/schemas/Goal", ...document });
  expect(details(named)).toEqual([]);
  expect(details('{"openapi":"string — the version on the slide"}')).toEqual([]);
});

test("a sketch that was admitted before the guards can still be checked", () => {
  const schema = { kind: "sketch", schemaText: '{"a":"string|null"}', fullText: '{"type":"object"}' } as const;
  expect(checkAnswer(createKeptValidators(reader), schema, '{"a":"null"}', 1000)).toEqual({
    ok: true,
    text: '{"a":"null"}',
  });
});
