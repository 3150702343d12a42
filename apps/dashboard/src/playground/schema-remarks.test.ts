import { expect, test } from "vitest";
import { jsonRemark, lineOf, remarksOf } from "./schema-remarks.ts";

test("valid JSON has no remark", () => {
  expect(jsonRemark('{"a":"string"}')).toBeUndefined();
});

test("a text that is not JSON gets a remark at the first wrong character", () => {
  expect(jsonRemark('{\n  "a": string\n}')).toMatchObject({ severity: "error", from: 9, to: 10 });
});

test("a text that ends too early gets its remark at its last character", () => {
  expect(jsonRemark('{"a"')).toMatchObject({ from: 3, to: 4 });
  expect(jsonRemark("")).toMatchObject({ from: 0, to: 0 });
});

test("remarks stay within a text that has become shorter since the check", () => {
  const errors = [{ pointer: "/a", reason: "no", place: { from: 5, to: 50 } }];
  expect(remarksOf({ errors, warnings: [] }, 8)).toEqual([{ severity: "error", from: 5, to: 8, reason: "no" }]);
});

test("doubts are shown only without errors", () => {
  const [error, doubt] = ["wrong", "odd"].map((reason) => ({ pointer: "/a", reason, place: { from: 0, to: 1 } }));
  const remarks = remarksOf({ errors: error ? [error] : [], warnings: doubt ? [doubt] : [] }, 8);
  expect(remarks.map(({ reason }) => reason)).toEqual(["wrong"]);
});

test("a remark without a place names its pointer", () => {
  const warnings = [{ pointer: "/a", reason: "odd", place: null }];
  expect(remarksOf({ errors: [], warnings }, 8)).toEqual([{ severity: "warning", from: 0, to: 0, reason: "/a: odd" }]);
});

test("lines count from 1", () => {
  expect([0, 2, 3].map((at) => lineOf("ab\ncd", at))).toEqual([1, 1, 2]);
});
