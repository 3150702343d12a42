import { expect, test } from "vitest";
import { parseJson } from "../json/parse-json.ts";
import { differencesOf } from "./differences.ts";

const differences = (here: unknown, there: unknown) =>
  differencesOf(parseJson(JSON.stringify(here)), parseJson(JSON.stringify(there)));

test("values that differ, are missing or are new are named; the others are counted", () => {
  const here = { title: "Final", goals: [{ at: "00:41" }, { at: "03:08" }], tags: [] };
  const there = { title: "Final", goals: [{ at: "00:42" }], tags: ["a"] };
  expect(differences(here, there)).toEqual({
    values: 5,
    differing: [
      { pointer: "/goals/0/at", here: "00:41", there: "00:42" },
      { pointer: "/goals/1/at", here: "03:08", there: undefined },
      { pointer: "/tags", here: "[]", there: undefined },
      { pointer: "/tags/0", here: undefined, there: "a" },
    ],
  });
});

test("equal answers have no difference, whatever the order of their keys", () => {
  expect(differences({ a: 1, b: null }, { b: null, a: 1 })).toEqual({ values: 2, differing: [] });
});
