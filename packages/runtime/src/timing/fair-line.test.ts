import { expect, test } from "vitest";
import { createFairLine } from "./fair-line.ts";

const all = (line: { next(): string | undefined }) => {
  const taken: (string | undefined)[] = [];
  for (let next = line.next(); next !== undefined; next = line.next()) taken.push(next);
  return taken;
};

test("the account with the fewest places is next, then the one that waited longest for a place, oldest item first", () => {
  const line = createFairLine<string>();
  for (const item of ["a1", "a2", "a3", "b1", "b2", "c1"]) line.add(item.charAt(0), item);
  expect(line.size()).toBe(6);
  expect(all(line)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  for (const item of ["a4", "b3", "c2"]) line.add(item.charAt(0), item);
  line.end("a");
  line.end("a");
  line.end("a");
  expect(all(line)).toEqual(["a4", "c2", "b3"]);
});

test("an account that comes back again and again does not overtake one that waits", () => {
  const line = createFairLine<string>();
  line.add("a", "a1");
  expect(line.next()).toBe("a1");
  line.add("b", "b1");
  line.end("a");
  line.add("a", "a2");
  expect(all(line)).toEqual(["b1", "a2"]);
});

test("an item that left the line is not next", () => {
  const line = createFairLine<string>();
  line.add("a", "a1");
  line.add("a", "a2");
  expect([line.remove("a", "a1"), line.remove("a", "a1"), line.remove("b", "b1")]).toEqual([true, false, false]);
  expect(all(line)).toEqual(["a2"]);
});
