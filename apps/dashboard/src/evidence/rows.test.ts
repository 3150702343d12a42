import type { Evidence, EvidenceVerdict } from "@video-to-json/contract/shapes/evidence";
import { expect, test } from "vitest";
import { parseJson } from "../json/parse-json.ts";
import { rowsOf } from "./rows.ts";

const field = (verdict: EvidenceVerdict) => ({
  verdict,
  confidence: null,
  spans: [],
  checked: null,
  nearest_cut_ms: null,
});

test("failed checks come first, each with its value and its place in words", () => {
  const fields = {
    "/title": field("confirmed"),
    "/goals/0/at": field("not_checked"),
    "/goals/1/at": field("contradicted"),
    "/a~1b": field("unconfirmed"),
    "/n": field("confirmed"),
  };
  const evidence = { fields } as unknown as Evidence;
  const answer = parseJson('{"title":"Final","goals":[{"at":"00:41"},{"at":"03:08"}],"a/b":true,"n":1.50}');
  expect(rowsOf(evidence, answer).map(({ name, value }) => `${name} = ${value}`)).toEqual([
    "goals › 2 › at = 03:08",
    "a/b = true",
    "title = Final",
    "n = 1.50",
    "goals › 1 › at = 00:41",
  ]);
});
