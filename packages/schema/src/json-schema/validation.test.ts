import { expect, test } from "vitest";
import { conforms, draft, errors, violations } from "./judge.fixture.ts";

test("two patterns in one schema are two patterns", () => {
  const schema = { properties: { a: { pattern: "^x$" }, b: { pattern: "^y$" } } };
  expect(conforms(schema, '{"a":"x","b":"y"}')).toBe(true);
  expect(violations(schema, '{"a":"y","b":"x"}')).toEqual([
    "/a: must match the pattern ^x$",
    "/b: must match the pattern ^y$",
  ]);
});

test("violations name keywords that the caller wrote", () => {
  const schema = '{"dependentRequired":{"a":["b"]},"if":{"required":["c"]},"then":{"required":["d"]}}';
  expect(violations(schema, '{"a":1,"c":1}')).toEqual([
    "/b: is missing; it is required",
    "/d: is missing; it is required",
  ]);
});

test("a required name such as constructor must be an own key of the answer", () => {
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    expect(conforms({ required: [name] }, "{}"), name).toBe(false);
    expect(conforms({ required: [name] }, `{"${name}":1}`), name).toBe(true);
    expect(conforms({ dependentRequired: { a: [name] } }, '{"a":1}'), name).toBe(false);
    expect(conforms({ additionalProperties: false }, `{"${name}":1}`), name).toBe(false);
    expect(
      conforms({ unevaluatedProperties: false, anyOf: [{ properties: { a: true } }] }, `{"${name}":1}`),
      name,
    ).toBe(false);
  }
});

test("a property named __proto__ and a pattern for it are both enforced, in either order", () => {
  const properties = '"properties":{"__proto__":{"type":"string"}}';
  const patterns = '"patternProperties":{"^__proto__$":{"minLength":2},"__proto__":{"maxLength":3}}';
  for (const schema of [`{${properties},${patterns}}`, `{${patterns},${properties}}`]) {
    expect(violations(schema, '{"__proto__":1}'), schema).toEqual(["/__proto__: must be string, not number"]);
    expect(conforms(schema, '{"__proto__":"x"}'), schema).toBe(false);
    expect(conforms(schema, '{"__proto__":"xxxx"}'), schema).toBe(false);
    expect(conforms(schema, '{"__proto__":"xx"}'), schema).toBe(true);
  }
});

test("a property named __proto__ is enforced like any other", () => {
  expect(conforms('{"properties":{"__proto__":{"type":"string"}}}', '{"__proto__":1}')).toBe(false);
  expect(
    conforms('{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}', '{"__proto__":"x"}'),
  ).toBe(true);
  expect(conforms('{"properties":{"__proto__":{}},"unevaluatedProperties":false}', '{"__proto__":"x"}')).toBe(true);
  expect(conforms('{"patternProperties":{"__proto__":{"type":"string"}}}', '{"a__proto__":1}')).toBe(false);
  expect(conforms('{"dependentSchemas":{"__proto__":{"required":["a"]}}}', '{"__proto__":1}')).toBe(false);
  expect(conforms('{"properties":{"constructor":{"type":"string"},"toString":{"type":"string"}}}', "{}")).toBe(true);
});

test("numbers are compared exactly, beyond what a double holds", () => {
  expect(conforms({ multipleOf: 0.01 }, "19.99")).toBe(true);
  expect(conforms('{"const":9007199254740993}', "9007199254740993")).toBe(true);
  expect(conforms('{"const":9007199254740993}', "9007199254740992")).toBe(false);
  expect(conforms('{"enum":[9007199254740993]}', "9007199254740992")).toBe(false);
  expect(conforms('{"properties":{"a":{"maximum":9007199254740992}}}', '{"a":9007199254740993}')).toBe(false);
  expect(conforms('{"items":{"exclusiveMinimum":12345678901234567890}}', "[12345678901234567891]")).toBe(true);
  expect(conforms('{"multipleOf":3}', "9007199254740993")).toBe(true);
  expect(conforms('{"multipleOf":2}', "9007199254740993")).toBe(false);
  expect(conforms({ type: "integer" }, "12345678901234567890")).toBe(true);
  expect(conforms({ type: "number" }, "1e400")).toBe(true);
  expect(conforms({ maximum: 5 }, "1e400")).toBe(false);
  expect(conforms({ exclusiveMinimum: 0 }, "1e-400")).toBe(true);
  expect(conforms({ uniqueItems: true }, "[9007199254740993,9007199254740992]")).toBe(true);
  expect(conforms({ uniqueItems: true }, "[1.0,1]")).toBe(false);
  expect(conforms({ const: { a: [1, { b: 2.5 }] } }, '{"a":[1.0,{"b":25e-1}]}')).toBe(true);
});

test("an integer is whole in all its digits, and a step may be smaller than a double can be", () => {
  for (const literal of ["12345678901234567890.5", "1.0000000000000000001", "1e-400", "-1e-400", "1.5"]) {
    expect(violations({ properties: { n: { type: "integer" } } }, `{"n":${literal}}`), literal).toEqual([
      "/n: must be integer, not number",
    ]);
    expect(conforms({ type: ["integer", "string"] }, literal), literal).toBe(false);
    expect(conforms({ type: ["integer", "number"] }, literal), literal).toBe(true);
  }
  for (const literal of ["12345678901234567890", "1.0", "1e400", "-0.0", "1.50e1", "0e-400"])
    expect(conforms({ type: "integer" }, literal), literal).toBe(true);
  expect(conforms('{"multipleOf":1e-400}', "3e-401")).toBe(false);
  expect(conforms('{"multipleOf":1e-400}', "3e-400")).toBe(true);
});

test("unique items are checked in linear time", () => {
  const items = Array.from({ length: 20_000 }, (_, index) => ({ a: index }));
  expect(conforms({ uniqueItems: true }, JSON.stringify(items))).toBe(true);
});

test("lengths are counted in code points", () => {
  expect(conforms({ maxLength: 2 }, '"😀😀"')).toBe(true);
  expect(conforms({ minLength: 2 }, '"😀"')).toBe(false);
});

test("each dialect keeps its own rules, in every spelling of its address", () => {
  for (const address of [
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-07/schema",
  ]) {
    expect(
      conforms({ $schema: address, items: [{ type: "string" }], additionalItems: false }, '["a",1]'),
      address,
    ).toBe(false);
  }
  expect(conforms(draft("draft-04", { maximum: 5, exclusiveMaximum: true }), "5")).toBe(false);
  expect(conforms(draft("draft-04", { id: "http://x/y", properties: { id: { type: "string" } } }), '{"id":1}')).toBe(
    false,
  );
  expect(conforms(draft("draft-06", { exclusiveMaximum: 5 }), "5")).toBe(false);
  expect(conforms('{"$schema":"http://json-schema.org/draft-07/schema#","if":{"const":1},"then":false}', "1")).toBe(
    false,
  );
  expect(conforms('{"$schema":"http://json-schema.org/draft-06/schema#","if":{"const":1},"then":false}', "1")).toBe(
    true,
  );
  expect(
    conforms({ $schema: "https://json-schema.org/draft/2019-09/schema", items: [{ type: "string" }] }, "[1]"),
  ).toBe(false);
  expect(conforms({ prefixItems: [{ type: "string" }], items: false }, '["a"]')).toBe(true);
});

test("a resource inside a schema is checked by its own dialect", () => {
  const price = { $id: "https://shop.example/price", minimum: 0, exclusiveMinimum: true };
  const old = { ...price, $schema: "http://json-schema.org/draft-04/schema#", id: "https://shop.example/price" };
  const schema = { properties: { p: { $ref: "#/$defs/price" } }, $defs: { price: old, list: { items: [true] } } };
  const fits = { ...schema, $defs: { price: old } };
  expect(conforms(fits, '{"p":1}')).toBe(true);
  expect(violations(fits, '{"p":0}')).toEqual(["/p: must be more than 0"]);
  expect(errors(schema)[0]).toMatch(/^\/\$defs\/list\/items: /);
  expect(errors({ $defs: { price: { ...old, type: 7 } } })).toEqual([
    expect.stringMatching(/^\/\$defs\/price\/type: /),
  ]);
  // The root has an old dialect. A list of alternatives of its metaschema contains a new resource.
  const inner = { $id: "https://shop.example/new", $schema: "https://json-schema.org/draft/2020-12/schema" };
  const items = (more: object) => draft("draft-07", { items: [{ ...inner, ...more }] });
  expect(errors(items({ dependentRequired: { a: ["b"] } }))).toEqual([]);
  expect(errors(items({ exclusiveMinimum: true }))).toEqual([expect.stringMatching(/^\/items\/0\/exclusiveMinimum: /)]);
});

test("an unknown dialect is refused with a list of the supported ones", () => {
  for (const address of ["http://json-schema.org/draft-03/schema#", "https://example.com/meta", ""]) {
    expect(errors({ $schema: address })[0], address).toMatch(
      /^\/\$schema: .*draft-04, draft-06, draft-07, 2019-09, 2020-12/,
    );
  }
});

test("a schema that violates its metaschema is refused with the position", () => {
  expect(errors({ properties: { a: { type: "goal" } } })[0]).toMatch(/^\/properties\/a\/type: must be one of/);
  expect(errors({ items: [{ type: "string" }] })[0]).toMatch(/^\/items: must be .*; the root has `items`, so/);
  expect(errors({ required: "a" })[0]).toMatch(/^\/required: must be array/);
  expect(errors({ properties: { a: { pattern: "(" } } })[0]).toMatch(
    /^\/properties\/a\/pattern: is not a regular expression/,
  );
  expect(errors({ patternProperties: { "[": {} } })[0]).toMatch(
    /^\/patternProperties\/\[: is not a regular expression/,
  );
});

test.for([
  [{ type: "strng" }, '/type: write "string"; "strng" is not a type of JSON Schema'],
  [{ type: "Integer" }, '/type: write "integer"; "Integer" is not a type of JSON Schema'],
  [{ type: "bool" }, '/type: write "boolean"; "bool" is not a type of JSON Schema'],
  [{ type: "list" }, '/type: write "array"; "list" is not a type of JSON Schema'],
  [{ type: ["string", "nul"] }, '/type/1: write "null"; "nul" is not a type of JSON Schema'],
  [
    { type: "string?" },
    '/type: write "string", and leave the key out of `required`; "string?" is not a type of JSON Schema',
  ],
  [{ type: "string|null" }, '/type: write ["string","null"]; "string|null" is not a type of JSON Schema'],
  [
    { type: "string[]" },
    '/type: write "array" with "items": {"type": "string"}; "string[]" is not a type of JSON Schema',
  ],
  [
    { $schema: "http://json-schema.org/draft-07/schema#", items: { type: "obect" } },
    '/items/type: write "object"; "obect" is not a type of JSON Schema',
  ],
  [
    { $schema: "http://json-schema.org/draft-07/schema#", items: 7 },
    "/items: must be object or boolean or array, not number",
  ],
  [
    { $schema: "http://json-schema.org/draft-04/schema#", additionalProperties: { type: "nmber" } },
    '/additionalProperties/type: write "number"; "nmber" is not a type of JSON Schema',
  ],
  [{ type: [] }, "/type: must NOT have fewer than 1 items"],
  [{ type: ["string", "string"] }, "/type: must not have the same item twice"],
  [{ type: 7 }, '/type: must be one of "array", "boolean", "integer", "null", "number", "object", "string"'],
] as const)("one fault has one line, with what to write first: %j", ([schema, line]) => {
  const [first, ...more] = errors(schema);
  expect(more).toEqual([]);
  expect(first?.split("; the root has ")[0]).toBe(line);
});

test("how a sketch was read as JSON Schema follows its first fault, once", () => {
  const [first, ...more] = errors({ name: "string", type: "ad|news", required: "name" });
  expect(first).toMatch(
    /^\/type: write "string" with "enum": \["ad","news"\]; .*; the root has `type`, so .* one level deeper$/,
  );
  expect(more).toEqual(["/required: must be array, not string"]);
  expect(errors({ type: "strng" })).toEqual(['/type: write "string"; "strng" is not a type of JSON Schema']);
});

test("`contains`, a lone `if` and a matching alternative count as evaluation of their members", () => {
  expect(conforms({ contains: { type: "string" }, unevaluatedItems: { type: "number" } }, '["a",1]')).toBe(true);
  expect(conforms({ contains: { type: "string" }, unevaluatedItems: false }, '["a",1]')).toBe(false);
  expect(conforms({ if: { properties: { a: { const: 1 } } }, unevaluatedProperties: false }, '{"a":1}')).toBe(true);
  expect(
    violations(
      { anyOf: [{ properties: { a: true } }, { required: ["b"] }], unevaluatedProperties: false },
      '{"a":1,"c":2}',
    ),
  ).toEqual(["/c: is not allowed by the schema"]);
});

test("known formats are enforced and unknown ones ignored", () => {
  expect(conforms({ format: "date" }, '"2026-02-30"')).toBe(false);
  expect(conforms({ format: "uri" }, '"not a uri"')).toBe(false);
  expect(conforms({ format: "colour" }, '"anything"')).toBe(true);
  expect(conforms({ contentEncoding: "base64", contentMediaType: "application/json" }, '"%%"')).toBe(true);
});

test("$async is a keyword of ajv and not of JSON Schema, so it changes nothing", () => {
  expect(violations({ $async: true, type: "object" }, "[]")).toEqual([": must be object, not array"]);
  expect(conforms({ $async: true, type: "object" }, "{}")).toBe(true);
});

test("unknown keywords change nothing", () => {
  expect(
    conforms(
      { type: "string", nullable: true, "x-anything": { $ref: 5 }, discriminator: { propertyName: "k" } },
      "null",
    ),
  ).toBe(false);
});

test("violations are bounded in number and length", () => {
  const many = violations(
    { items: { enum: Array.from({ length: 500 }, (_, i) => `option ${i} ${"x".repeat(100)}`) } },
    JSON.stringify(Array.from({ length: 500 }, () => 1)),
  );
  expect(many).toHaveLength(20);
  for (const violation of many) expect(violation.length).toBeLessThanOrEqual(300);
});

test("a hundred alternatives are enforced like three, and count as evaluated", () => {
  const objects = Array.from({ length: 100 }, (_, index) => ({
    properties: { [`p${index}`]: true },
    required: [`p${index}`],
  }));
  const constants = Array.from({ length: 100 }, (_, index) => ({ const: index % 99 }));
  expect(conforms({ anyOf: objects, unevaluatedProperties: false }, '{"p5":1,"p77":1}')).toBe(true);
  expect(conforms({ anyOf: objects, unevaluatedProperties: false }, '{"p5":1,"q":1}')).toBe(false);
  expect(conforms({ oneOf: objects }, '{"p5":1,"p77":1}')).toBe(false);
  expect(conforms({ oneOf: objects }, '{"p5":1}')).toBe(true);
  expect(violations({ oneOf: constants }, "0")).toEqual([": must fit exactly one of the alternatives (oneOf)"]);
  expect(conforms({ oneOf: constants }, "1.0")).toBe(true);
  expect(conforms({ anyOf: [...objects, { items: { $ref: "#" } }], type: "array" }, "[[[]]]")).toBe(true);
});

test("five hundred properties are enforced like five", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [
      `p${index}`,
      { type: index % 2 ? "string" : "integer", description: `${index}` },
    ]),
  );
  const schema = {
    properties: { ...properties, "a/b": { items: { maximum: 5 } }, me: { $ref: "#" } },
    additionalProperties: false,
  };
  expect(conforms(schema, '{"p0":1,"p1":"x","me":{"p3":"y"}}')).toBe(true);
  expect(violations(schema, '{"p0":"x","p3":1,"a/b":[1,9],"me":{"p1":1},"q":1}').sort()).toEqual([
    "/a~1b/1: must be 5 or less",
    "/me/p1: must be string, not number",
    "/p0: must be integer, not string",
    "/p3: must be string, not number",
    "/q: is a key that the schema does not allow",
  ]);
  expect(conforms('{"const":1,"properties":{}}', "1")).toBe(true);
  expect(
    conforms({ properties: { ...properties, big: { const: 9007199254740992 } } }, '{"big":9007199254740993}'),
  ).toBe(false);
  expect(conforms({ properties, unevaluatedProperties: false }, '{"p499":"x","p500":1}')).toBe(false);
});
