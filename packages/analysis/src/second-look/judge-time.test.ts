import { expect, test } from "vitest";
import type { Span } from "./findings.ts";
import { type ClaimedTime, judgeTimes } from "./judge-time.ts";

const clip = { fromMs: 60_000, toMs: 80_000, durationMs: 120_000 };
const second = (ms: number, edge: ClaimedTime["edge"] = "start"): ClaimedTime => ({
  fromMs: ms,
  toMs: ms + 1000,
  edge,
});
const span = (startMs: number, endMs = startMs): Span => ({ startMs, endMs });

function verdicts(claims: ClaimedTime[], spans: Span[], seen: "here" | "not_here" | "unclear" = "here") {
  return judgeTimes(claims, { seen, spans }, clip).map(({ verdict, spans }) => [verdict, spans[0]?.startMs]);
}

test("a time is confirmed within a second of the second that it names, and moved beyond", () => {
  expect(verdicts([second(70_000)], [span(69_000)])).toEqual([["confirmed", 69_000]]);
  expect(verdicts([second(70_000)], [span(72_000)])).toEqual([["confirmed", 72_000]]);
  expect(verdicts([second(70_000)], [span(72_400)])).toEqual([["moved", 72_400]]);
  expect(verdicts([second(70_000, "end")], [span(61_000, 66_500)])).toEqual([["moved", 61_000]]);
});

test("a time of which the clip shows nothing is contradicted; one that it does not show clearly is unconfirmed", () => {
  expect(verdicts([second(70_000)], [], "not_here")).toEqual([["contradicted", undefined]]);
  expect(verdicts([second(70_000)], [], "unclear")).toEqual([["unconfirmed", undefined]]);
});

test("a sighting that lasts beyond the clip contradicts a beginning inside it, but not at an edge of the video", () => {
  expect(verdicts([second(70_000)], [span(60_000, 80_000)])).toEqual([["contradicted", 60_000]]);
  expect(verdicts([second(70_000, "end")], [span(60_000, 80_000)])).toEqual([["contradicted", 60_000]]);
  const whole = { fromMs: 0, toMs: 20_000, durationMs: 20_000 };
  const claims = [second(4000), second(15_000, "end")];
  const found = judgeTimes(claims, { seen: "here", spans: [span(0, 20_000), span(0, 20_000)] }, whole);
  expect(found.map(({ verdict }) => verdict)).toEqual(["moved", "moved"]);
});

test("each of several claims about the same thing gets another sighting, in order of time", () => {
  const shifted = [second(73_000), second(77_000), second(69_000)];
  expect(verdicts(shifted, [span(66_000), span(70_000), span(74_000)])).toEqual([
    ["moved", 70_000],
    ["moved", 74_000],
    ["moved", 66_000],
  ]);
  expect(verdicts([second(70_000), second(72_000)], [span(72_100)])).toEqual([
    ["contradicted", undefined],
    ["confirmed", 72_100],
  ]);
  expect(verdicts([second(70_000)], [span(62_000), span(70_300), span(78_000)])).toEqual([["confirmed", 70_300]]);
});
