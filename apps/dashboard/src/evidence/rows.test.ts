import type { Evidence, EvidenceVerdict } from "@video-to-json/contract/shapes/evidence";
import { expect, test } from "vitest";
import { parseJson } from "../json/parse-json.ts";
import { rowsOf } from "./rows.ts";

const field = (verdict: EvidenceVerdict, confidence: number | null = null) => ({
  verdict,
  confidence,
  spans: [],
  checked: null,
  nearest_cut_ms: null,
});

test("the least certain values come first, whatever their verdict, and unchecked ones before confirmed ones", () => {
  const fields = {
    "/a": field("confirmed", 0.98),
    "/b": field("not_checked"),
    "/c": field("contradicted", 0.38),
    "/d": field("not_checked", 0.2),
    "/e": field("unconfirmed", 0.15),
    "/f": field("unconfirmed", 0.7),
  };
  const rows = rowsOf({ fields } as unknown as Evidence, parseJson("{}"));
  expect(rows.map(({ pointer }) => pointer)).toEqual(["/e", "/d", "/c", "/b", "/f", "/a"]);
});

test("of equal confidence, failed checks come first, each with its value and its place in words", () => {
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
    "goals › 1 › at = 00:41",
    "title = Final",
    "n = 1.50",
  ]);
});
