import { expect, test } from "vitest";
import { toAnswer, writeJson } from "./answer.ts";
import { err, type ModelError, readModelErrors } from "./err.ts";

const time = { type: "string", description: "MM:SS" };
const item = {
  type: "object",
  properties: { start: time, end: time, what: { type: "string" }, who: { type: "string" } },
};
const schema = {
  type: "object",
  properties: { events: { type: "array", items: item }, fires: { type: "array", items: item }, alarm_at: time },
};
const at = (seconds: number) =>
  `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
const events = Array.from({ length: 20 }, (_, index) => ({
  ...{ start: at(60 + index * 20), end: at(68 + index * 20), what: `event ${index}` },
}));
const durationMs = 600_000;

type Given = { start: string; end: string; what: string; who?: string };

function withErrors(errors: object[], text = "the question") {
  const read: ModelError[] = readModelErrors({ errors });
  const answer = err(toAnswer({ events, fires: [] }), read, { schema, durationMs, text });
  return JSON.parse(writeJson(answer)) as { events: Given[]; fires: Given[]; alarm_at?: string };
}

const seconds = (text = "") => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

test("edges are off by the seconds that the setting allows, and no span is upside down", () => {
  const given = withErrors([{ kind: "edges", probability: 1, minMs: 3000, maxMs: 9000 }]).events;
  const shifts = given.flatMap(({ start, end }, index) => [
    Math.abs(seconds(start) - seconds(events[index]?.start)),
    Math.abs(seconds(end) - seconds(events[index]?.end)),
  ]);
  expect(Math.min(...shifts.filter((shift) => shift > 0))).toBeGreaterThanOrEqual(3);
  expect(Math.max(...shifts)).toBeLessThanOrEqual(9);
  expect(shifts.filter((shift) => shift > 0).length).toBeGreaterThan(30);
  for (const { start, end } of given) expect(seconds(start)).toBeLessThanOrEqual(seconds(end));
});

test("a minute too early or too late moves both ends of an item", () => {
  for (const [index, { start, end }] of withErrors([{ kind: "minute", probability: 1 }]).events.entries()) {
    expect(Math.abs(seconds(start) - seconds(events[index]?.start))).toBe(60);
    expect(seconds(end) - seconds(start)).toBe(8);
  }
});

test("a short list stops after ten, and events come twice", () => {
  expect(withErrors([{ kind: "short-list" }]).events).toEqual(events.slice(0, 10));
  const twice = withErrors([{ kind: "repeat", probability: 1 }]).events;
  expect(twice.map(({ what }) => what)).toEqual(events.flatMap(({ what }) => [what, what]));
  expect(seconds(twice[1]?.start)).toBe(61);
});

test("invented values fill what is optional, and lists of what never happens", () => {
  const given = withErrors([{ kind: "invent", probability: 1 }]);
  expect(given.fires).toHaveLength(1);
  expect(given.alarm_at).toMatch(/^\d\d:\d\d$/);
  expect(given.events.every(({ who }) => who !== undefined)).toBe(true);
});

test("a misread text differs in one character, and times stay", () => {
  for (const [index, { start, what }] of withErrors([{ kind: "misread", probability: 1 }]).events.entries()) {
    const [before] = events.slice(index);
    expect(start).toBe(before?.start);
    expect([...what].filter((character, at) => character !== before?.what[at])).toHaveLength(1);
    expect(what).toHaveLength(before?.what.length ?? 0);
  }
});

test("the same question gets the same errors; another seed or question gets others", () => {
  const edges = (seed: number, text?: string) => withErrors([{ kind: "edges", seed }], text);
  expect(edges(1)).toEqual(edges(1));
  expect(edges(2)).not.toEqual(edges(1));
  expect(edges(1, "again")).not.toEqual(edges(1));
});

test.each([
  [{ kind: "lies" }, "errors[0].kind"],
  [{ kind: "edges", probability: 2 }, "errors[0].probability"],
  [{ kind: "edges", minMs: 5000, maxMs: 1000 }, "errors[0].minMs"],
  [{ kind: "edges", size: 1 }, "errors[0].size"],
])("%j is refused by name", (entry, name) => {
  expect(() => readModelErrors({ errors: [entry] })).toThrow(name);
});
