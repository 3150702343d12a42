import { expect, test } from "vitest";
import type { Truth } from "../cases/case.ts";
import { compareTimes, reliabilityOf, type Score, scoreEvidence, shareOf } from "./score.ts";
import { scoreAnswer } from "./score-answer.ts";

const item = (startMs: number, endMs: number, what: string) => ({
  ...{ span: { startMs, endMs }, times: { start: startMs, end: endMs }, values: { what }, absent: ["who"] },
});
const truth: Truth = {
  values: [{ pointer: "/title", value: "City Tour" }],
  times: [{ pointer: "/first_at", ms: 12_300, span: { startMs: 12_300, endMs: 20_000 } }],
  lists: [
    {
      ...{ pointer: "/events", startKey: "start", endKey: "end" },
      items: [item(12_300, 20_000, "a"), item(30_000, 34_000, "b"), item(50_000, 60_000, "b")],
    },
  ],
  absent: ["/fires", "/alarm_at"],
};
const events = [
  { start: "00:12", end: "00:20", what: "a" },
  { start: "00:30", end: "00:34", what: "b" },
  { start: "00:50", end: "01:00", what: "B." },
];
const right = { title: "city tour", first_at: "00:12", events, fires: [] };

function shares(data: unknown): Partial<Record<keyof Score, number>> {
  const { score } = scoreAnswer(truth, data);
  const names = Object.keys(score) as (keyof Score)[];
  return Object.fromEntries(names.map((name) => [name, shareOf(score[name])]));
}

test("the right answer scores everything", () => {
  expect(shares(right)).toEqual({
    ...{ answered: 1, values: 1, withinHalf: 1, withinOne: 1, withinTwo: 1, overlap: 1 },
    ...{ complete: 1, precise: 1, invented: 0, ordered: 1, evidence: undefined },
  });
});

test("each kind of error lowers its own score", () => {
  expect(shares({ ...right, title: "Old town" }).values).toBe(3 / 4);
  expect(shares({ ...right, events: events.slice(0, 2) })).toMatchObject({
    complete: 2 / 3,
    precise: 1,
    values: 3 / 4,
  });
  const twice = events.flatMap((event) => [event, event]);
  expect(shares({ ...right, events: twice })).toMatchObject({ complete: 1, precise: 1 / 2, invented: 0 });
  expect(shares({ ...right, events: [...events].reverse() })).toMatchObject({ complete: 1, ordered: 0 });
  expect(shares({ ...right, fires: [{ start: "00:01" }] }).invented).toBe(1 / 5);
  expect(shares({ ...right, events: events.map((event) => ({ ...event, who: "Ann" })) }).invented).toBe(3 / 5);
  const late = events.map((event) => ({ ...event, start: event.start.replace("0:30", "0:32") }));
  expect(shares({ ...right, events: late })).toMatchObject({ withinOne: 6 / 7, withinTwo: 1, overlap: 2.5 / 3 });
});

test("without an answer everything is missing and nothing is invented", () => {
  expect(shares(undefined)).toMatchObject({ answered: 0, values: 0, withinTwo: 0, complete: 0, invented: undefined });
});

test("a duplicate does not count as a report of another event", () => {
  const given = [events[0], events[1], { start: "00:31", end: "00:34", what: "b" }];
  expect(shares({ ...right, events: given })).toMatchObject({ complete: 2 / 3, precise: 2 / 3 });
});

test("the second look counts what it catches, corrects and moves", () => {
  // The true times, those of the first answer, and those after the second look.
  const times = { a: [10_000, 15_000, 10_000], b: [20_000, 24_000, 26_000], c: [30_000, 30_000, 31_000] };
  const answer = (at: 1 | 2) =>
    Object.entries({ ...times, d: [9000, 5000, 5000] }).map(([name, all]) => {
      return { name, trueMs: Number(all[0]), givenMs: all[at] };
    });
  expect(compareTimes(answer(1), answer(2))).toEqual({
    ...{ caught: { of: 2, all: 3 }, corrected: { of: 1, all: 3 } },
    moved: { of: 1, all: 1 },
  });
});

test("evidence hits where it overlaps the event, and confidence is compared to the truth", () => {
  const { leaves } = scoreAnswer(truth, { ...right, title: "Old town" });
  const field = (confidence: number | null, at: number) => ({ confidence, spans: [{ start_ms: at, end_ms: at }] });
  const { hits, judged } = scoreEvidence(leaves, {
    fields: {
      "/title": field(0.25, 0),
      "/events/0/what": field(0.95, 13_000),
      "/events/1/what": field(0.95, 2000),
      "/events/2/what": field(null, 55_000),
    },
  });
  expect(hits).toEqual({ of: 2, all: 3 });
  expect(reliabilityOf(judged)).toEqual([
    { confidence: 0.25, right: 0, count: 1 },
    { confidence: 0.95, right: 1, count: 2 },
  ]);
});
