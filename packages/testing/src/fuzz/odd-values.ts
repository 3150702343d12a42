import fc from "fast-check";

/** Texts that parsers, patterns and logs stumble over, and any others. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...["", " ", "\0", "\r\n", "\ufeff", "\ufffd", "\ud800", "é".repeat(300), "\u202e", "{{7*7}}", "$(x)", "%00", "%"],
    ...["' OR 1=1 --", "../../etc/passwd", "<script>", "null", "NaN", "1e999", "-0", "__proto__", "constructor"],
    ...["a".repeat(70_000), "[".repeat(5000), '{"a":'.repeat(300), "(".repeat(500), "a|".repeat(2000)],
  ),
  fc.string({ maxLength: 40, unit: "binary" }),
  fc.string({ maxLength: 40 }),
);

const typeWord = fc.constantFrom(
  "string",
  "int?",
  "time",
  "a|b|c",
  "number — of things",
  "boolean",
  "a||b",
  "|",
  0,
  0.5,
);
const sketchKey = fc.oneof(fc.constantFrom("at", "start", "10", "2", "player?", "__proto__", "type"), oddText);

/** Sketches, right and wrong. */
export const sketch: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    typeWord,
    oddText,
    fc.constantFrom(true, null),
    fc.dictionary(sketchKey, tie("value"), { maxKeys: 4 }),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
})).value;

const keyword = fc.constantFrom(
  ...["$schema", "$id", "$ref", "$dynamicRef", "$anchor", "$defs", "definitions", "type", "properties", "required"],
  ...["patternProperties", "additionalProperties", "propertyNames", "items", "prefixItems", "contains", "minItems"],
  ...["uniqueItems", "enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "pattern", "format"],
  ...["minLength", "maximum", "multipleOf", "dependentRequired", "unevaluatedProperties", "unevaluatedItems", "$async"],
);
const keywordValue = fc.oneof(
  fc.constantFrom("string", "object", "array", "#", "#/$defs/a", "#/properties/a", "https://example.com/schema", "a"),
  fc.constantFrom("^(a|a)*$", "(a+)+$", "(?<=a)b", "\\p{L}+", "[", "x{0,1000}".repeat(20), "(.)\\1", "\\u{110000}"),
  fc.constantFrom("http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2019-09/schema"),
  fc.constantFrom<unknown>(true, false, null, 0, -1, 1e308, 0.1, ["a"], ["a", "a"], [], {}),
);

/** JSON Schemas, right and wrong, of any dialect. */
export const jsonSchema: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown; schema: unknown }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, keywordValue, tie("schema"), fc.array(tie("schema"), { maxLength: 3 })),
  schema: fc.oneof(
    fc.dictionary(keyword, tie("value"), { maxKeys: 4 }),
    fc
      .dictionary(fc.oneof(fc.constantFrom("a", "b"), oddText), tie("schema"), { maxKeys: 3 })
      .map((properties) => ({ type: "object", properties })),
  ),
})).schema;

/** A JSON text: mostly well-formed, sometimes with its end cut off or doubled. */
export function textOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const text = value.map((one) => JSON.stringify(one) ?? "null");
  return fc.oneof(
    { arbitrary: text, weight: 6 },
    fc.tuple(text, fc.nat()).map(([whole, at]) => whole.slice(0, at % (whole.length + 1))),
    text.map((whole) => whole + whole),
    oddText,
  );
}
