import { expect, test } from "vitest";
import { conforms, draft, errors } from "./judge.fixture.ts";

test("keywords beside $ref are ignored up to draft-07 and enforced since", () => {
  const schema = { $ref: "#/definitions/a", maxLength: 1, definitions: { a: { type: "string" } } };
  expect(conforms(draft("draft-07", schema), '"long"')).toBe(true);
  expect(conforms(schema, '"long"')).toBe(false);
});

test("references are followed within the schema: by pointer, anchor, id and into unknown keywords", () => {
  expect(conforms({ $ref: "#/components/a%20b", components: { "a b": { type: "string" } } }, "1")).toBe(false);
  expect(conforms({ $ref: "#x", $defs: { a: { $anchor: "x", type: "string" } } }, "1")).toBe(false);
  expect(conforms({ $id: "https://e.com/root", $ref: "sub", $defs: { a: { $id: "sub", type: "string" } } }, "1")).toBe(
    false,
  );
  expect(
    conforms(
      {
        $ref: "urn:uuid:feebdaed-ffff-0000-ffff-0000deadbeef",
        $defs: { a: { $id: "urn:uuid:feebdaed-ffff-0000-ffff-0000deadbeef", type: "string" } },
      },
      "1",
    ),
  ).toBe(false);
  expect(conforms(draft("draft-07", { $ref: "#x", definitions: { a: { $id: "#x", type: "string" } } }), "1")).toBe(
    false,
  );
  expect(
    conforms({ properties: { child: { $ref: "#" } }, additionalProperties: false }, '{"child":{"child":{"x":1}}}'),
  ).toBe(false);
});

test("an $id that looks remote or is not a URI is accepted", () => {
  expect(
    conforms(
      {
        $id: "https://example.com/video.json",
        type: "object",
        properties: { a: { $ref: "#/$defs/s" } },
        $defs: { s: { type: "string" } },
      },
      '{"a":1}',
    ),
  ).toBe(false);
  expect(conforms({ $id: "My schema!", type: "string" }, '"x"')).toBe(true);
  expect(conforms(draft("draft-07", { properties: { a: { $id: "#/properties/a", type: "string" } } }), '{"a":1}')).toBe(
    false,
  );
});

test("an identifier inside an enum or a constant is a plain value", () => {
  expect(
    conforms(
      {
        $ref: "#/$defs/a",
        $defs: { c: { const: { $id: "https://e/x", $ref: "https://nowhere/" } }, a: { type: "string" } },
      },
      '"x"',
    ),
  ).toBe(true);
});

test("a remote reference is never fetched", () => {
  for (const $ref of ["http://127.0.0.1:1/schema.json", "https://example.com/x", "other.json", "file:///etc/passwd"]) {
    expect(errors({ properties: { a: { $ref } } })[0], $ref).toMatch(/^\/properties\/a\/\$ref: .*nothing is fetched/);
  }
  expect(errors({ $ref: "#/$defs/missing" })[0]).toMatch(/^\/\$ref: .*there is no schema/);
});

test("the metaschemas can be referenced without a fetch", () => {
  for (const $ref of [
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
  ]) {
    expect(conforms({ $ref }, '{"type":"string"}'), $ref).toBe(true);
    expect(conforms({ $ref }, '{"properties":{"a":{"minLength":-1}}}'), $ref).toBe(false);
  }
});

test("a dynamic reference goes to the outermost schema of its name", () => {
  const schema = {
    $id: "https://e/strings",
    $ref: "list",
    $defs: {
      strings: { $dynamicAnchor: "item", type: "string" },
      list: { $id: "list", type: "array", items: { $dynamicRef: "#item" }, $defs: { any: { $dynamicAnchor: "item" } } },
    },
  };
  expect(conforms(schema, '["a"]')).toBe(true);
  expect(conforms(schema, "[1]")).toBe(false);
});

test("a dynamic reference to a plain anchor is a plain reference", () => {
  const schema = {
    $id: "https://e/outer",
    $dynamicAnchor: "item",
    $ref: "inner",
    $defs: {
      inner: { $id: "inner", items: { $dynamicRef: "#item" }, $defs: { any: { $anchor: "item", type: "string" } } },
    },
  };
  expect(conforms(schema, '["a"]')).toBe(true);
  expect(conforms(schema, "[[]]")).toBe(false);
});

test("a reference to itself is refused unless a property or an item is in between", () => {
  expect(errors({ $ref: "#" })).toHaveLength(1);
  expect(
    errors({ $ref: "#/$defs/a", $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { $ref: "#/$defs/a" } } }),
  ).toHaveLength(1);
  expect(errors({ type: "array", items: { $ref: "#" } })).toEqual([]);
  expect(
    conforms({ anyOf: [{ type: "string" }, { $ref: "#/$defs/never" }], $defs: { never: { type: "number" } } }, "1"),
  ).toBe(true);
});
