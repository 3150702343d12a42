import { expect, test } from "vitest";
import { nodeAt } from "../json/json-node.ts";
import { parseJson } from "../json/parse-json.ts";
import { countText, literalOf, type Review, reviewFile } from "./review.ts";

const answer = parseJson(
  '{"title":"Final","goals":[{"at":"00:41","n":1.50},{"at":"03:08","n":2}],"a/b":true,"by":null}',
);
const review: Review = {
  "/title": { right: true },
  "/goals/0/n": { right: false, json: "3.10" },
  "/a~1b": { right: false, json: "false" },
};

test("a review counts what was looked at and what was wrong", () => {
  expect(countText(review, 100)).toBe("Of 100 values you looked at 3; 2 were wrong.");
  expect(countText({}, 2)).toBe("Of 2 values you looked at 0; 0 were wrong.");
});

test("the file has the corrected answer beside the answer, and numbers as they are written", () => {
  const text = reviewFile("5f0c", answer, review, 7);
  expect(JSON.parse(text)).toEqual({
    job_id: "5f0c",
    data: {
      title: "Final",
      goals: [
        { at: "00:41", n: 1.5 },
        { at: "03:08", n: 2 },
      ],
      "a/b": true,
      by: null,
    },
    corrected: {
      title: "Final",
      goals: [
        { at: "00:41", n: 3.1 },
        { at: "03:08", n: 2 },
      ],
      "a/b": false,
      by: null,
    },
    review: {
      ...{ values: 7, looked_at: 3, wrong: 2 },
      looked: [
        { pointer: "/title", right: true },
        { pointer: "/goals/0/n", right: false },
        { pointer: "/a~1b", right: false },
      ],
    },
  });
  expect(text).toContain('"n": 1.50');
  expect(text).toContain('"n": 3.10');
});

test.each([
  ["/title", "3", '"3"'],
  ["/goals/0/n", "3.10", "3.10"],
  ["/goals/0/n", "three", undefined],
  ["/goals/0/n", "null", "null"],
  ["/a~1b", "false", "false"],
  ["/a~1b", '"no"', undefined],
  ["/by", "Okafor", '"Okafor"'],
  ["/by", "7", "7"],
])("in place of %s, %j becomes %s", (pointer, text, json) => {
  const was = nodeAt(answer, pointer);
  expect(was && literalOf(text, was)).toBe(json);
});
