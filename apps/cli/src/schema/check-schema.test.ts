import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { runHere } from "../testing/run-here.ts";

test("a sketch becomes JSON Schema on standard output, and standard error says what is enforced", async () => {
  const sketch = '{"10":"red|green — a colour","2?":0.0,"goals":[{"at":"string","by":"text?"}],"n/m~":{},"0":0}';
  const { code, stdout, stderr } = await checkSchema([sketch]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ required: ["10", "goals", "n/m~", "0"], additionalProperties: false });
  expect([...stdout.matchAll(/^ {4}"([^"]+)": \{$/gm)].map((match) => match[1])).toEqual([
    "10",
    "2",
    "goals",
    "n/m~",
    "0",
  ]);
  expect(stderr.split("\n").slice(1, -1)).toEqual([
    '  /10          required  one of "red", "green"',
    "  /2           optional  number",
    "  /goals       required  array",
    "  /goals/*     required  object, with these keys in this order and no others",
    "  /goals/*/at  required  time MM:SS, within the video",
    "  /goals/*/by  optional  string",
    "  /n~1m~0      required  object, with these keys in this order and no others",
    "  /0           required  integer",
  ]);
});

test("a JSON Schema is shown as it is written, and said to be one", async () => {
  const schema = '{ "type": "object", "properties": { "10": {}, "2": { "minimum": 1.50 } } }';
  const { code, stdout, stderr } = await checkSchema(["-"], `\ufeff${schema}\n`);
  expect([code, stdout.replace(/\s/g, "")]).toEqual([0, schema.replace(/\s/g, "")]);
  expect(stderr).toMatch(/Read as JSON Schema/);
});

test("with --json there is one line, and nothing beside it", async () => {
  const { code, stdout, stderr } = await checkSchema(["-", "--json"], '{\n"type":\n"object"}');
  expect([code, stdout, stderr]).toEqual([0, '{ "type": "object"}\n', ""]);
});

test.for([
  ["no JSON", "{", /^: is not valid JSON/],
  ["a faulty sketch", '{"a":{"b":null}}', /^\/a\/b: null/],
  ["a faulty JSON Schema", '{"type":"goal"}', /^\/type: /],
  ["too much text", `{"a":"${"x".repeat(256 * 1024)}"}`, /^: is too large: over 262144 bytes/],
  ["too many levels", `${'{"a":'.repeat(65)}0${"}".repeat(65)}`, /^: is too large: it is nested more than 64 levels/],
] as const)("%s is invalid with the service's details: exit code 4", async ([, schema, detail]) => {
  const { code, stdout, stderr } = await checkSchema(["-", "--json"], schema);
  expect([code, stdout]).toEqual([4, ""]);
  expect(JSON.parse(stderr).error).toMatchObject({ code: "schema_invalid", details: expect.any(Array) });
  expect(JSON.parse(stderr).error.details[0]).toMatch(detail);
});

test("a text that is far too long is not read to its end", async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(65_536, "x");
    })(),
  );
  const { code, stderr } = await checkSchema(["-"], endless);
  expect([code, stderr]).toEqual([4, expect.stringContaining(": is too large: over 262144 bytes")]);
});

function checkSchema(words: string[], input: string | Readable = "") {
  return runHere(["check-schema", ...words], {}, input);
}
