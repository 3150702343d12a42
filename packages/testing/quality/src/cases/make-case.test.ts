import { expect, test } from "vitest";
import { firstSeeds, halfOf, readSeeds } from "../options.ts";
import { marksOf, stripCells } from "../render/marks.ts";
import { makeCase } from "./make-case.ts";

const seeds = Array.from({ length: 90 }, (_, index) => 1_000_000 + index);

test("the same seed gives the same case, another seed another one", () => {
  for (const seed of seeds) expect(makeCase(seed)).toEqual(makeCase(seed));
  expect(new Set(seeds.map((seed) => JSON.stringify(makeCase(seed).plan))).size).toBe(seeds.length);
});

test("seeds that follow each other have every style, sketches and JSON Schemas", () => {
  const made = seeds.map(makeCase);
  expect(new Set(made.slice(0, 9).map(({ style }) => style)).size).toBe(9);
  expect(new Set(made.map(({ isSketch }) => isSketch)).size).toBe(2);
});

test("events of a list lie in the video, in order, and do not overlap", () => {
  for (const { plan, truth } of seeds.map(makeCase)) {
    for (const { items } of truth.lists) {
      for (const [index, { span }] of items.entries()) {
        expect(span.startMs).toBeGreaterThanOrEqual(items[index - 1]?.span.endMs ?? 0);
        expect(span.endMs - span.startMs).toBeGreaterThanOrEqual(500);
        expect(span.endMs).toBeLessThanOrEqual(plan.durationMs);
      }
    }
    expect(truth.absent.length + truth.lists.flatMap(({ items }) => items).length).toBeGreaterThan(0);
  }
});

test("each mark fits into a strip", () => {
  for (const { plan } of seeds.map(makeCase)) {
    const marks = marksOf(plan);
    for (const mark of marks) {
      const active = marks.filter(({ startMs, endMs }) => startMs <= mark.startMs && mark.startMs < endMs);
      const ids = active.map(({ id }) => id);
      expect(stripCells(ids, mark)).toHaveLength(768);
    }
  }
});

test("the halves share no seed, and the first seeds of each belong to it", () => {
  const [open, blinded] = [firstSeeds("open", 100), firstSeeds("blinded", 100)];
  expect(open.filter((seed) => blinded.includes(seed))).toEqual([]);
  expect(blinded.every((seed) => halfOf(seed) === "blinded")).toBe(true);
});

test("seeds are read from numbers and ranges", () => {
  expect(readSeeds("7, 3-5,4")).toEqual([7, 3, 4, 5]);
  for (const wrong of ["", "x", "5-3", "1-99999", "-1", "1.5"])
    expect(() => readSeeds(wrong), wrong).toThrow("--seeds");
});
