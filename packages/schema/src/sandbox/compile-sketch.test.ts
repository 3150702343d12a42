import { defaultLimits } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import { compileSchema } from "./compile-schema.ts";
import { compileSmallSketch } from "./compile-sketch.ts";

const deep = (levels: number) => `${'{"a":'.repeat(levels)}"string"${"}".repeat(levels)}`;

test.each([
  '{"title":"string","scenes":[{"at":"timestamp","what":"string?"}],"kind":"goal|foul — what it is"}',
  ' {"at":"time","__proto__":"string","10":"a|b","constructor?":0,"toString":true}\n',
  '{"a/b~c%25":{"$":["0:00"]},"":"int","\u2028":0.0}',
  deep(defaultLimits.maxSchemaDepth - 1),
  deep(defaultLimits.maxSchemaDepth + 1),
  '{"a":null}',
  '{"a":"string|null","b":"string[]"}',
  '{"player?":"string","player":"string"}',
  '{"\\ud800":"string"}',
  "[]",
  "{}",
  '{"a":',
])("a small sketch has the same outcome with and without its validator: %j", (text) => {
  const small = compileSmallSketch(text, defaultLimits, null);
  expect(small).toBeDefined();
  expect(small).toEqual(compileSchema(createSchemaReader(), text, defaultLimits, null));
});

test("a JSON Schema and a long sketch need the sandbox", () => {
  for (const text of ['{"type":"object"}', `{"a":"${"x".repeat(2048)}"}`]) {
    expect(compileSmallSketch(text, defaultLimits, null)).toBeUndefined();
  }
});
