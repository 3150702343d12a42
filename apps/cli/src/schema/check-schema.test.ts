import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { runHere } from "../testing/run-here.ts";

test("a sketch prints its JSON Schema to standard output and its meaning to standard error", async () => {
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
    "  /goals/*     required  object with exactly these keys in this order",
    "  /goals/*/at  required  time MM:SS, within the video",
    "  /goals/*/by  optional  string",
    "  /n~1m~0      required  object with exactly these keys in this order",
    "  /0           required  integer",
    'warning /n~1m~0: This is an object without keys. Write its keys, such as {"key": "string"}.',
  ]);
});

test("a JSON Schema is printed unchanged and identified as one", async () => {
  const schema = '{ "type": "object", "properties": { "10": {}, "2": { "minimum": 1.50 } } }';
  const { code, stdout, stderr } = await checkSchema(["-"], `\ufeff${schema}\n`);
  expect([code, stdout.replace(/\s/g, "")]).toEqual([0, schema.replace(/\s/g, "")]);
  expect(stderr).toMatch(/Read as JSON Schema/);
});

test("--json prints one line and nothing else", async () => {
  const { code, stdout, stderr } = await checkSchema(["-", "--json"], '{\n"type":\n"array"}');
  expect([code, stdout, stderr]).toEqual([0, '{ "type": "array"}\n', ""]);
});

test("a valid and doubtful schema has warnings after the explanation, and one line of JSON with --json", async () => {
  const sketch = '{"a":"integer (0-10)","b":"string"}';
  const { code, stderr } = await checkSchema([sketch]);
  expect([code, stderr.split("\n").filter((line) => line.startsWith("warning"))]).toEqual([
    0,
    [expect.stringMatching(/^warning \/a: This is a description.* write "integer — 0-10"\.$/)],
  ]);
  const json = await checkSchema([sketch, "--json"]);
  expect([json.code, json.stdout.split("\n").length]).toEqual([0, 2]);
  expect(JSON.parse(json.stderr)).toEqual({ warnings: [expect.objectContaining({ path: "/a" })] });
  expect((await checkSchema(['{"def":{},"type":"object"}'])).stderr).toMatch(/\nwarning \(root\): The root has `type`/);
});

test("a schema that no answer can meet is valid, with a warning that names the place", async () => {
  const { code, stderr } = await checkSchema(['{"type":"object","required":["z"],"properties":{"z":false}}']);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/\nwarning \(root\): No answer can conform to this schema: \/z: /),
  ]);
});

test.for([
  [
    "a text that is not JSON",
    '{"a":string}',
    /^: line 1, column 6: put quotes around "string"; this is not valid JSON$/,
  ],
  ["a faulty sketch", '{"a":{"b":null}}', /^\/a\/b: null/],
  ["a faulty JSON Schema", '{"type":"goal"}', /^\/type: /],
] as const)("%s is invalid with the service's details and exit code 4", async ([, schema, detail]) => {
  const { code, stdout, stderr } = await checkSchema(["-", "--json"], schema);
  expect([code, stdout]).toEqual([4, ""]);
  expect(JSON.parse(stderr).error).toMatchObject({ code: "schema_invalid", details: expect.any(Array) });
  expect(JSON.parse(stderr).error.details[0]).toMatch(detail);
});

test("an endless text is not read to its end", async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(65_536, "x");
    })(),
  );
  const { code, stderr } = await checkSchema(["-"], endless);
  expect([code, stderr]).toEqual([4, expect.stringContaining("The schema in standard input is not a text")]);
});

function checkSchema(words: string[], input: string | Readable = "") {
  return runHere(["check-schema", ...words], {}, input);
}
