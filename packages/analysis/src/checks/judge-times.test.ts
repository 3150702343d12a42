import { expect, test } from "vitest";
import { judgeTimes, type ObservedClaim, type Span } from "./judge-times.ts";

const durationMs = 120_000;
const window = { fromMs: 60_000, toMs: 80_000 };
const span = (startMs: number, endMs = startMs): Span => ({ startMs, endMs });

/** A claim of one second, and the sightings in its clip. */
function second(
  fromMs: number,
  spans: Span[],
  {
    edge = "start",
    seen = "here",
    clip = window,
  }: { edge?: "start" | "end"; seen?: "here" | "not_here" | "unclear"; clip?: typeof window } = {},
): ObservedClaim {
  return { fromMs, toMs: fromMs + 1000, edge, window: clip, sighting: { seen, spans } };
}

const verdicts = (claims: ObservedClaim[]) =>
  judgeTimes(claims, durationMs).map(({ verdict, spans }) => [verdict, spans[0]?.startMs]);

test("an event within a second of the claimed second confirms the time; one further away moves it", () => {
  expect(verdicts([second(70_000, [span(69_000)])])).toEqual([["confirmed", 69_000]]);
  expect(verdicts([second(70_000, [span(72_000)])])).toEqual([["confirmed", 72_000]]);
  expect(verdicts([second(70_000, [span(72_400)])])).toEqual([["moved", 72_400]]);
  expect(verdicts([second(70_000, [span(61_000, 66_500)], { edge: "end" })])).toEqual([["moved", 61_000]]);
});

test("a time that the clip does not show is contradicted; one that it does not show clearly is unconfirmed", () => {
  expect(verdicts([second(70_000, [], { seen: "not_here" })])).toEqual([["contradicted", undefined]]);
  expect(verdicts([second(70_000, [], { seen: "unclear" })])).toEqual([["unconfirmed", undefined]]);
});

test("a sighting that lasts beyond the clip contradicts a beginning inside it, but not at an edge of the video", () => {
  const beyond = [span(60_000, 80_000)];
  expect(verdicts([second(70_000, beyond)])).toEqual([["contradicted", 60_000]]);
  expect(verdicts([second(70_000, beyond, { edge: "end" })])).toEqual([["contradicted", 60_000]]);
  const whole = [span(0, durationMs)];
  const clip = { fromMs: 0, toMs: durationMs };
  expect(verdicts([second(4000, whole, { clip })])).toEqual([["moved", 0]]);
  expect(verdicts([second(115_000, whole, { clip, edge: "end" })])).toEqual([["moved", 0]]);
});

test("each of several claims about the same thing gets another sighting, in order of time", () => {
  const three = [span(66_000), span(70_000), span(74_000)];
  expect(verdicts([second(73_000, three), second(77_000, three), second(69_000, three)])).toEqual([
    ["moved", 70_000],
    ["moved", 74_000],
    ["moved", 66_000],
  ]);
  const one = [span(72_100)];
  expect(verdicts([second(70_000, one), second(72_000, one)])).toEqual([
    ["contradicted", undefined],
    ["confirmed", 72_100],
  ]);
  const far = [span(62_000), span(70_300), span(78_000)];
  expect(verdicts([second(70_000, far)])).toEqual([["confirmed", 70_300]]);
});

test("an event that another claim has in its own clip is not assigned twice", () => {
  const next = { fromMs: 65_000, toMs: 90_000 };
  const claims = [second(70_000, [span(70_000)]), second(77_000, [span(70_200)], { clip: next })];
  expect(verdicts(claims)).toEqual([
    ["confirmed", 70_000],
    ["contradicted", undefined],
  ]);
});

test("a long shared clip moves a time no further than a separate clip would", () => {
  const clip = { fromMs: 0, toMs: 100_000 };
  expect(verdicts([second(7000, [span(19_000)], { clip })])).toEqual([["moved", 19_000]]);
  expect(verdicts([second(7000, [span(24_000)], { clip })])).toEqual([["contradicted", undefined]]);
});
