import fc from "fast-check";
import { expect, test } from "vitest";
import { findPlace } from "./find-place.ts";
import { childPointer } from "./texts.ts";

const found = (text: string, pointer: string) => {
  const place = findPlace(text, pointer);
  return place && text.slice(place.from, place.to);
};

test.each([
  ['{"a": [1, {"b": "x,]}"} ]}', "/a/1/b", '"x,]}"'],
  ['{"a": [1, {"b": "x"} ]}', "/a/1", '{"b": "x"}'],
  ['{"by?": "string|null"}', "/by", '"string|null"'],
  ['{"by?": 1, "by": 2}', "/by", "2"],
  ['{"by?": 1, "by": 2}', "/by?", "1"],
  ['{"a/b": {"~": -1.5e3}}', "/a~1b/~0", "-1.5e3"],
  ['{"a":1,"a":2}', "/a", "2"],
  [' {"a": {} } ', "/a/unknown/deeper", "{}"],
  [" true ", "", "true"],
])("in %s the pointer %j leads to %s", (text, pointer, value) => {
  expect(found(text, pointer)).toBe(value);
});

test("a text that is not JSON has no places", () => {
  expect(findPlace('{"a":', "/a")).toBeUndefined();
});

test("every value of every JSON text is found where it is written", () => {
  const check = (text: string, value: unknown, pointer: string): void => {
    expect(JSON.parse(found(text, pointer) ?? "")).toEqual(value);
    if (typeof value !== "object" || value === null) return;
    for (const [key, child] of Object.entries(value)) check(text, child, childPointer(pointer, key));
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      check(text, JSON.parse(text), "");
    }),
  );
});
