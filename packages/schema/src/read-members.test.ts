import { Problem } from "@video-to-json/contract";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { readMembers } from "./read-members.ts";

test("each member has the text that the caller sent", () => {
  const members = readMembers(' {"schema" : { "a" : 0.0, "b":["}",{}] } , "video_url":"https://x/\\"y" }\n');
  expect([...members.keys()]).toEqual(["schema", "video_url"]);
  expect(members.get("schema")?.raw).toBe('{ "a" : 0.0, "b":["}",{}] }');
  expect(members.get("video_url")).toEqual({ raw: '"https://x/\\"y"', value: 'https://x/"y' });
});

test("__proto__ and constructor are ordinary names", () => {
  const members = readMembers('{"__proto__":{"polluted":1},"constructor":2}');
  expect(members.get("__proto__")?.raw).toBe('{"polluted":1}');
  expect(members.get("constructor")?.value).toBe(2);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

test("an empty object has no members", () => {
  expect(readMembers("{ }").size).toBe(0);
});

test("a body that is not one JSON object without repeated names is an invalid request", () => {
  for (const text of ["", "[]", '"x"', "null", "{", '{"a":1}{"b":2}', '{"a":1,"a":2}', '{"a":1,"\\u0061":2}']) {
    expect(() => readMembers(text), text).toThrow(expect.objectContaining({ code: "invalid_request" }));
  }
  expect(() => readMembers("[]")).toThrow(Problem);
});

test("only JSON white space and one byte order mark may surround a body", () => {
  expect(readMembers('\ufeff \t\r\n{"a": \t1\r\n}\n').get("a")).toEqual({ raw: "1", value: 1 });
  for (const around of ["\u00a0", "\v", "\f", "\u2028", "\u3000", "\ufeff\ufeff"]) {
    expect(() => readMembers(`${around}{"a":1}`), around).toThrow(expect.objectContaining({ code: "invalid_request" }));
  }
  expect(() => readMembers('{"a":1}\u00a0')).toThrow(expect.objectContaining({ code: "invalid_request" }));
});

test("a very deep body does not overflow the stack", () => {
  const depth = 200_000;
  const raw = "[".repeat(depth) + "]".repeat(depth);
  expect(readMembers(`{"schema":${raw}}`).get("schema")?.raw).toBe(raw);
});

test("any object has the same members as with JSON.parse", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2), (body, indent) => {
      const text = JSON.stringify(body, null, indent);
      const parsed: object = JSON.parse(text);
      const members = readMembers(text);
      expect(new Map([...members].map(([name, { value }]) => [name, value]))).toEqual(new Map(Object.entries(parsed)));
      for (const { raw, value } of members.values()) expect(JSON.parse(raw)).toEqual(value);
    }),
  );
});

test("a body with too many values is refused before it is parsed", () => {
  const text = '{"a":[0,{},[ ],"[,,,{"],"b":{"c":[[]]}}';
  expect(readMembers(text, { maxValues: 9 }).get("b")?.raw).toBe('{"c":[[]]}');
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  expect(() => readMembers(text, { maxValues: 8 })).toThrow(expect.objectContaining({ code: "invalid_request" }));
  expect(parse).not.toHaveBeenCalled();
});

test("members of members are read without parsing again", () => {
  const text = '{"a":{"b":{"c":0.0},"__proto__":[1]}}';
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  const a = readMembers(text).get("a") ?? { raw: "", value: undefined };
  expect([...readMembers(a)]).toEqual([
    ["b", { raw: '{"c":0.0}', value: { c: 0 } }],
    ["__proto__", { raw: "[1]", value: [1] }],
  ]);
  expect(parse).toHaveBeenCalledTimes(1);
});
