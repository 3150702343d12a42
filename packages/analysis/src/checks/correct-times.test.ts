import type { TimeClaim } from "@video-to-json/schema";
import { expect, test } from "vitest";
import { contradictionsOf, moveTimes } from "./correct-times.ts";
import type { TimeFinding } from "./judge-times.ts";

const form = { kind: "clock", groups: 2, firstDigits: 2, decimals: 0, point: "." } as const;

/** A claim, and where the second look saw it. */
type Looked = Partial<TimeClaim> & { pointer: string; at: number; seen: number };

/** Applies sightings to an answer. */
async function moved(text: string, looked: readonly Looked[], schema: object = { type: "object" }) {
  const claims = looked.map(({ at, seen, ...claim }): TimeClaim => {
    const rest = { pointerForCaller: claim.pointer, edge: "start", otherEdge: null, form, what: "a cut" } as const;
    return { ...rest, fromMs: at * 1000, toMs: at * 1000 + 1000, ...claim };
  });
  const findings = new Map(
    looked.map(({ pointer, seen }): [string, TimeFinding] => {
      const spans = [{ startMs: seen * 1000, endMs: seen * 1000 }];
      return [pointer, { verdict: "moved", spans, checked: null, nearestCutMs: null }];
    }),
  );
  const schemaText = JSON.stringify(schema);
  const compiled = { kind: "json-schema", schemaText, fullText: schemaText } as const;
  const result = moveTimes({ text, schema: compiled, durationMs: 60_000, claims, findings });
  return { text: result.text, verdicts: [...result.findings.values()].map(({ verdict }) => verdict) };
}

const cuts = '{"cuts":["00:10","00:20"]}';

test("a time that moved is written, and one that moved within its second is confirmed", async () => {
  const looked = [
    { pointer: "/cuts/0", at: 10, seen: 10.4 },
    { pointer: "/cuts/1", at: 20, seen: 24 },
  ];
  expect(await moved(cuts, looked)).toEqual({ text: '{"cuts":["00:10","00:24"]}', verdicts: ["confirmed", "moved"] });
});

test("a move that puts a list out of its order, or an end before its start, changes nothing and is unconfirmed", async () => {
  const past = [
    { pointer: "/cuts/0", at: 10, seen: 25 },
    { pointer: "/cuts/1", at: 20, seen: 20 },
  ];
  expect(await moved(cuts, past)).toEqual({ text: cuts, verdicts: ["unconfirmed", "confirmed"] });
  const span = '{"from":"00:10","to":"00:12"}';
  const edges = (seen: number) => [
    { pointer: "/from", otherEdge: "/to", at: 10, seen: 15 },
    { pointer: "/to", edge: "end" as const, otherEdge: "/from", at: 12, seen },
  ];
  expect(await moved(span, edges(12))).toEqual({ text: span, verdicts: ["unconfirmed", "confirmed"] });
  expect((await moved(span, edges(17))).text).toBe('{"from":"00:15","to":"00:17"}');
});

test("a move that the schema does not allow is left out, and the others are written", async () => {
  const looked = [
    { pointer: "/cuts/0", at: 10, seen: 12 },
    { pointer: "/cuts/1", at: 20, seen: 24 },
  ];
  const result = await moved(cuts, looked, { properties: { cuts: { items: { not: { const: "00:24" } } } } });
  expect(result).toEqual({ text: '{"cuts":["00:12","00:20"]}', verdicts: ["moved", "unconfirmed"] });
});

test("when all moves together do not conform, each move that conforms is written, also after one that does not", async () => {
  const looked = [12, 24, 33].map((seen, index) => ({ pointer: `/cuts/${index}`, at: 10 * (index + 1), seen }));
  const text = '{"cuts":["00:10","00:20","00:30"]}';
  const result = await moved(text, looked, { properties: { cuts: { items: { not: { const: "00:24" } } } } });
  expect(result).toEqual({ text: '{"cuts":["00:12","00:20","00:33"]}', verdicts: ["moved", "unconfirmed", "moved"] });
});

test("a list that was out of its order may stay so, and two times of a list may become equal", async () => {
  const back = [
    { pointer: "/cuts/0", at: 20, seen: 25 },
    { pointer: "/cuts/1", at: 10, seen: 10 },
  ];
  expect((await moved('{"cuts":["00:20","00:10"]}', back)).text).toBe('{"cuts":["00:25","00:10"]}');
  const equal = [
    { pointer: "/cuts/0", at: 10, seen: 20 },
    { pointer: "/cuts/1", at: 20, seen: 20 },
  ];
  expect((await moved(cuts, equal)).text).toBe('{"cuts":["00:20","00:20"]}');
});

test("a contradicted time tells the model what the clip shows instead, and the caller where it is", () => {
  const claim = { pointer: "/goals/0/at", pointerForCaller: "/goals/*/at", otherEdge: null, form, what: "a goal" };
  const checked = { fromMs: 60_000, toMs: 80_000 };
  const spans = [{ startMs: 60_000, endMs: 80_000 }];
  const messages = (edge: "start" | "end", finding: Partial<TimeFinding>) =>
    contradictionsOf(
      [{ ...claim, edge, fromMs: 70_000, toMs: 71_000 }],
      new Map([[claim.pointer, { verdict: "contradicted", spans: [], checked: null, nearestCutMs: null, ...finding }]]),
    );
  expect(messages("start", {}).violations).toEqual(["/goals/0/at: 01:10.0 is wrong"]);
  expect(messages("start", { checked }).violations[0]).toMatch(
    /does not show this between 01:00.0 and 01:20.0; look elsewh/,
  );
  expect(messages("start", { checked, spans }).violations[0]).toMatch(
    /already goes on at 01:00.0, so it begins before/,
  );
  expect(messages("end", { checked, spans }).violations[0]).toMatch(/still goes on at 01:20.0, so it ends after/);
  expect(messages("end", { checked }).violationsForCaller).toEqual([expect.stringMatching(/^\/goals\/\*\/at: /)]);
  expect(messages("end", { checked, verdict: "moved" }).violations).toEqual([]);
});
