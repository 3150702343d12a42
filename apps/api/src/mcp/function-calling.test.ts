import { ExtractArguments } from "@video-to-json/contract/shapes/extract";
import { RecentExtractionsArguments } from "@video-to-json/contract/shapes/jobs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { schemaOf } from "./tool.ts";

/*
 * Hosts pass the input schema of a tool to their model, as the parameters of a function. These are the rules of three
 * providers for such a schema, with their sources.
 */

type Schema = { [keyword: string]: unknown };
type Rule = { rule: string; source: string; isKept(schema: Schema, at: { isRoot: boolean }): boolean };

const isObject = ({ type }: Schema) => type === "object";
const propertiesOf = ({ properties = {} }: Schema) => Object.entries(properties as Record<string, Schema>);
const only = (schema: Schema, keywords: readonly string[]) =>
  Object.keys(schema).every((one) => keywords.includes(one));

const gemini: Rule[] = [
  {
    rule: "knows these keywords only",
    source: 'Gemini API reference, "Schema", fields of the object (`parameters` of a FunctionDeclaration)',
    isKept: (schema) =>
      only(schema, [
        ...["type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties"],
        ...["required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf"],
        ...["propertyOrdering", "default", "items", "minimum", "maximum"],
      ]),
  },
  {
    rule: "`type` is required, and one name",
    source: 'Gemini API reference, "Schema": `type`, "Required", an enum',
    isKept: ({ type }) => typeof type === "string",
  },
  {
    rule: "a string has the format `enum` or `date-time`, or none",
    source: "the API's error 400: \"only 'enum' and 'date-time' are supported for STRING type\"",
    isKept: ({ format }) => format === undefined,
  },
  {
    rule: "an object names properties",
    source: 'the API\'s error 400: "properties: should be non-empty for OBJECT type"',
    isKept: (schema) => !isObject(schema) || propertiesOf(schema).length > 0,
  },
];

const openAi: Rule[] = [
  {
    rule: "the root is an object without anyOf",
    source: 'OpenAI guide "Structured Outputs", "Root objects must not be anyOf and must be an object"',
    isKept: (schema, { isRoot }) => !isRoot || (isObject(schema) && !("anyOf" in schema)),
  },
  {
    rule: "knows these keywords only, as a strict function",
    source: 'OpenAI guide "Structured Outputs", "Supported schemas"; `default` is refused with "is not permitted"',
    isKept: (schema) =>
      only(schema, [
        ...["type", "description", "properties", "required", "additionalProperties", "enum", "const", "anyOf", "items"],
        ...[
          "pattern",
          "minimum",
          "maximum",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "multipleOf",
          "minItems",
          "maxItems",
        ],
        ...["$ref", "$defs"],
      ]),
  },
  {
    rule: "an object stays usable when a host adds `additionalProperties: false`, as a strict function demands",
    source: 'OpenAI guide "Structured Outputs", "additionalProperties: false must always be set in objects"',
    isKept: (schema) => !isObject(schema) || (propertiesOf(schema).length > 0 && !("additionalProperties" in schema)),
  },
  {
    rule: "a property that is not required has one type, so that a host can add null when it requires all",
    source: 'OpenAI guide "Structured Outputs", "All fields must be required", with null for optional ones',
    isKept: (schema) => propertiesOf(schema).every(([, { type }]) => typeof type === "string"),
  },
];

const anthropic: Rule[] = [
  {
    rule: "the root has type `object` and no oneOf, allOf or anyOf",
    source:
      'Anthropic API reference, "Tools": `input_schema.type` is "object"; the error 400 "input_schema does not support oneOf, allOf, or anyOf at the top level"',
    isKept: (schema, { isRoot }) =>
      !isRoot || (isObject(schema) && !["oneOf", "allOf", "anyOf"].some((keyword) => keyword in schema)),
  },
  {
    rule: "a property's name has 1 to 64 letters, digits, `_`, `.` and `-`",
    source: "the API's error 400: \"Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'\"",
    isKept: (schema) => propertiesOf(schema).every(([name]) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name)),
  },
];

const inputs = { extract: ExtractArguments, recent_extractions: RecentExtractionsArguments };
const cases = Object.entries({ gemini, openAi, anthropic }).flatMap(([provider, rules]) =>
  rules.flatMap((rule) => Object.entries(inputs).map(([tool, shape]) => ({ provider, tool, shape, ...rule }))),
);

test.each(cases)("$provider, $tool: $rule", ({ shape, isKept, source }) => {
  const root = schemaOf(shape) as Schema;
  for (const schema of [root, ...propertiesOf(root).map(([, one]) => one)]) {
    expect(isKept(schema, { isRoot: schema === root }), `${JSON.stringify(schema)}, by: ${source}`).toBe(true);
  }
});

test("the rules find faults", () => {
  const wrong: Schema[] = [
    { type: "string", format: "uri" },
    { type: "object", additionalProperties: true },
    { type: ["object", "string"] },
    { type: "integer", default: 10, $comment: "" },
  ];
  for (const schema of wrong) {
    const broken = [...gemini, ...openAi].filter(({ isKept }) => !isKept(schema, { isRoot: false }));
    expect(broken, JSON.stringify(schema)).not.toEqual([]);
  }
});

test.each([
  ["a free object", { type: "object" }],
  ["a free object with additionalProperties", { type: "object", additionalProperties: true }],
  ["a string or an object", { anyOf: [{ type: "string" }, { type: "object" }] }],
  ["both types", { type: ["string", "object"] }],
  ["any value", { description: "a sketch or a JSON Schema" }],
])("`schema` stays a string: declared as %s, it breaks a rule (docs/decisions/0008)", (_name, schema: Schema) => {
  const broken = [...gemini, ...openAi, ...anthropic].filter(({ isKept }) => !isKept(schema, { isRoot: false }));
  expect(broken).not.toEqual([]);
});

test.each(Object.entries(inputs))(
  "the input schema of %s compiles in strict mode, and each argument has a text",
  (_tool, shape) => {
    expect(() => new Ajv({ strict: true }).compile(shape)).not.toThrow();
    for (const [, { description }] of propertiesOf(schemaOf(shape) as Schema)) expect(description).toMatch(/\w{3}/);
  },
);

test("the texts of `extract` teach which URLs work and how a sketch is written", () => {
  const { video_url = {}, schema = {} } = schemaOf(ExtractArguments).properties as Record<string, Schema>;
  for (const word of ["video file itself", "80, 443, 8080 or 8443", "YouTube", "local path"])
    expect(video_url.description).toContain(word);
  for (const word of ["$schema", "MM:SS", "Example: {", "0.0 a number"]) expect(schema.description).toContain(word);
});
