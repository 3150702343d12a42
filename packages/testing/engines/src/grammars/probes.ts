/** An answer that an engine may judge in another way than the service. */
export type Probe = { what: string; schema: object; answer: string };

const string = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };

/** The schema of an object with one required key. */
const of = (a: object | boolean, more: object = {}) => ({
  ...{ type: "object", properties: { a }, required: ["a"], additionalProperties: false },
  ...more,
});
const ab = { properties: { a: integer, b: integer }, required: ["a", "b"] };
const open = { additionalProperties: true };
const conditional = JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}');
const tree = { type: "object", properties: { kids: { type: "array", items: { $ref: "#" } } }, required: ["kids"] };

/** What the table of docs/local-models.md shows, in its order. */
export const probes: readonly Probe[] = [
  { what: "another order of keys", schema: { a: "integer", b: "integer" }, answer: '{"b":1,"a":2}' },
  { what: "a key that no schema names, of an open object", schema: of(integer, open), answer: '{"a":1,"more":2}' },
  {
    what: "a key that `patternProperties` allows",
    schema: { type: "object", patternProperties: { "^x": integer } },
    answer: '{"x1":1}',
  },
  {
    what: "a key that `additionalProperties` allows",
    schema: { type: "object", additionalProperties: integer },
    answer: '{"any":1}',
  },
  { what: "any value", schema: of(true), answer: '{"a":{"b":[1,null]}}' },
  { what: "an optional key left out", schema: { a: "integer", "b?": "integer" }, answer: '{"a":1}' },
  { what: "an optional key that comes first, alone", schema: { "a?": "integer", "b?": "integer" }, answer: '{"b":1}' },
  { what: "a whole number written `1.0`", schema: of(integer), answer: '{"a":1.0}' },
  { what: "a whole number written `1e2`", schema: of(integer), answer: '{"a":1e2}' },
  { what: "a whole number of 20 digits", schema: of(integer), answer: '{"a":12345678901234567890}' },
  { what: "a number of 20 digits after its point", schema: of(number), answer: '{"a":0.12345678901234567890}' },
  { what: "a number written `1E+5`", schema: of(number), answer: '{"a":1E+5}' },
  { what: "the number of an `enum`, written `1.0`", schema: of({ enum: [1, 2] }), answer: '{"a":1.0}' },
  { what: "the text of an `enum`, with an escape", schema: of({ enum: ["é"] }), answer: '{"a":"\\u00e9"}' },
  { what: "letters of any script", schema: of(string), answer: '{"a":"Größe 日本 🎬"}' },
  { what: "every escape of JSON", schema: of(string), answer: '{"a":"\\u00e9\\/\\b\\"\\\\"}' },
  { what: "a raw tab in a text", schema: of(string), answer: '{"a":"x\ty"}' },
  { what: "spaces and lines between tokens", schema: of(integer), answer: '{\n  "a" : 1\n}' },
  { what: "twenty-five spaces at the start of a line", schema: of(integer), answer: `{\n${" ".repeat(25)}"a":1}` },
  { what: "an empty list", schema: of({ type: "array", items: integer }), answer: '{"a":[]}' },
  {
    what: "a tuple that ends early",
    schema: of({ type: "array", prefixItems: [integer, string] }),
    answer: '{"a":[1]}',
  },
  {
    what: "more items than a tuple names",
    schema: of({ type: "array", prefixItems: [integer] }),
    answer: '{"a":[1,"x"]}',
  },
  { what: "a recursive answer", schema: tree, answer: '{"kids":[{"kids":[]}]}' },
  { what: "`null` where a type is one of two", schema: of({ type: ["string", "null"] }), answer: '{"a":null}' },
  { what: "a key written twice", schema: of(integer), answer: '{"a":1,"a":2}' },
  { what: "a time in words", schema: { at: "timestamp" }, answer: '{"at":"soon"}' },
  { what: "a number above its `maximum`", schema: of({ ...number, maximum: 1 }), answer: '{"a":9}' },
  { what: "a whole number above its `maximum`", schema: of({ ...integer, maximum: 1 }), answer: '{"a":9}' },
  { what: "a text that its `pattern` refuses", schema: of({ ...string, pattern: "^x$" }), answer: '{"a":"y"}' },
  { what: "a text longer than `maxLength`", schema: of({ ...string, maxLength: 1 }), answer: '{"a":"xy"}' },
  { what: "a text that is not a `date`", schema: of({ ...string, format: "date" }), answer: '{"a":"soon"}' },
  {
    what: "fewer items than `minItems`",
    schema: of({ type: "array", items: integer, minItems: 2 }),
    answer: '{"a":[1]}',
  },
  {
    what: "the same item twice, with `uniqueItems`",
    schema: of({ type: "array", items: integer, uniqueItems: true }),
    answer: '{"a":[1,1]}',
  },
  { what: "a number that `multipleOf` refuses", schema: of({ ...number, multipleOf: 2 }), answer: '{"a":1}' },
  { what: "a value that `not` forbids", schema: of({ ...string, not: { const: "x" } }), answer: '{"a":"x"}' },
  {
    what: "an answer for two branches of `oneOf`",
    schema: of({
      oneOf: [
        { ...integer, minimum: 1 },
        { ...integer, minimum: 2 },
      ],
    }),
    answer: '{"a":3}',
  },
  {
    what: "a key that a part of `allOf` requires",
    schema: { type: "object", allOf: [ab, { required: ["b"] }] },
    answer: '{"a":1}',
  },
  {
    what: "a key that `if` and `then` require",
    schema: { type: "object", ...ab, required: ["a"], ...conditional },
    answer: '{"a":1}',
  },
  {
    what: "fewer keys than `minProperties`",
    schema: { type: "object", additionalProperties: integer, minProperties: 1 },
    answer: "{}",
  },
  { what: "an extra key of a closed object", schema: of(integer), answer: '{"a":1,"more":2}' },
  { what: "a value of another type", schema: of(integer), answer: '{"a":"1"}' },
  { what: "a required key left out", schema: { type: "object", ...ab }, answer: '{"a":1}' },
  { what: "a text around the answer", schema: of(integer), answer: 'Sure: {"a":1}' },
];
