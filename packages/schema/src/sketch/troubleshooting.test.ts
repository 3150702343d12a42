import { readFile } from "node:fs/promises";
import { defaultLimits } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import { compileSchema } from "../sandbox/compile-schema.ts";

// One for each row of the table about `schema_invalid`, in order.
const schemas = [
  '{"player": "string|null"}',
  '{"tags": "string[]"}',
  '{"a":string}',
  "{}",
  '["string"]',
  '{"items": ["string"]}',
  '{"a": null}',
  "export default z.strictObject({ a: z.string() });",
  "class Goal(BaseModel):\n    at: str",
  '{"openapi":"3.1.0","components":{}}',
];

test("docs/troubleshooting.md quotes the service's messages about invalid schemas", async () => {
  const document = await readFile(new URL("../../../../docs/troubleshooting.md", import.meta.url), "utf8");
  const [, table = ""] = /\n\| `details` say [^\n]*\n[^\n]*\n([\s\S]*?)\n\n/.exec(document) ?? [];
  const quotes = table.split("\n").map((row) => /^\| (`+)(.*?)\1 \|/.exec(row.replaceAll("\\|", "|"))?.[2]);
  expect(quotes).toHaveLength(schemas.length);
  for (const [index, schema] of schemas.entries()) {
    const outcome = compileSchema(createSchemaReader(), schema, defaultLimits, null);
    const details = "details" in outcome ? outcome.details.join("\n") : "";
    expect(details.replaceAll("`|`", "|")).toContain(quotes[index]);
  }
});
