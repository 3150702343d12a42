import { defaultLimits } from "@video-to-json/contract";
import { expect, test } from "vitest";
import type { CompiledSchema } from "./compiled-schema.ts";
import { createCompiledSchemas, openSchemaSandbox } from "./open-schema-sandbox.ts";

const schema = (text: string): CompiledSchema => ({
  kind: "sketch",
  schemaText: text,
  fullText: "",
  promptText: "",
  lean: null,
});

test("the schemas that were used last are kept, up to a number of characters", () => {
  // Each costs twice its text, and the four characters of "null".
  const schemas = createCompiledSchemas(3 * (2 * 10 + 4));
  for (const name of ["a", "b", "c"]) schemas.add(name.repeat(10), schema(name.repeat(10)));
  expect(schemas.get("a".repeat(10))).toBeDefined();
  schemas.add("d".repeat(10), schema("d".repeat(10)));
  const kept = ["a", "b", "c", "d"].filter((name) => schemas.get(name.repeat(10)));
  expect(kept).toEqual(["a", "c", "d"]);
  schemas.add("large".repeat(100), schema("large".repeat(100)));
  expect(schemas.get("large".repeat(100))).toBeUndefined();
});

test("a text that an account sends again is compiled once, and its first compilation tells no other account", async () => {
  const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 2 });
  const compile = (account: string, text: string) => sandbox.forAccount(account).compile(text);
  const [first] = await Promise.all([compile("a", '{"a":"string"}'), compile("a", '{"a":"string"}')]);
  expect(await compile("a", '{"a":"string"}')).toBe(first);
  expect(await compile("a", '{"a": "string"}')).not.toBe(first);
  expect(await compile("b", '{"a":"string"}')).not.toBe(first);
  await sandbox.close();
});
