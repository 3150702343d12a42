import { expect, test } from "vitest";
import { readJson } from "../json/read-json.ts";
import { readSketch } from "./read-sketch.ts";

const read = (text: string) => {
  const node = readJson(text, { maxDepth: 64, maxValues: 10_000 });
  if (node.kind !== "object") throw new Error("a sketch is an object");
  return readSketch(node);
};
const fields = (text: string) => {
  const reading = read(text);
  if ("faults" in reading) throw new Error(reading.faults.join());
  return reading.sketch.fields.map(({ name, optional, place }) => [
    name,
    place.kind,
    ...(optional ? ["optional"] : []),
  ]);
};

test("a number's type is in how it is written", () => {
  expect(fields('{"a":0,"b":0.0,"c":12,"d":1e3,"e":-3,"f":-2.50}').map(([, kind]) => kind)).toEqual([
    "integer",
    "number",
    "integer",
    "number",
    "integer",
    "number",
  ]);
});

test("true and false are booleans", () => {
  expect(fields('{"a":true,"b":false}')).toEqual([
    ["a", "boolean"],
    ["b", "boolean"],
  ]);
});

test("keys stay in the order written, integer-like ones and __proto__ too", () => {
  expect(fields('{"10":0,"__proto__":"string","2":0,"constructor?":0}')).toEqual([
    ["10", "integer"],
    ["__proto__", "string"],
    ["2", "integer"],
    ["constructor", "integer", "optional"],
  ]);
});

test("a timestamp key wins over string, free text and numbers, and over nothing else", () => {
  for (const key of ["at", "time", "timestamp", "start", "end", "startsAt", "endsAt", "start_time", "end_time"]) {
    expect(fields(`{"${key}":"string"}`), key).toEqual([[key, "timestamp"]]);
  }
  expect(fields('{"at?":"the first goal","time":0,"end":0.5,"start":"int?"}')).toEqual([
    ["at", "timestamp", "optional"],
    ["time", "timestamp"],
    ["end", "timestamp"],
    ["start", "timestamp", "optional"],
  ]);
  expect(fields('{"at":"a|b","time":true,"start":["string"],"end":{"x":0},"timestamp":"bool"}')).toEqual([
    ["at", "enum"],
    ["time", "boolean"],
    ["start", "array"],
    ["end", "object"],
    ["timestamp", "boolean"],
  ]);
  expect(fields('{"At":"string","starts_at":"string"}')).toEqual([
    ["At", "string"],
    ["starts_at", "string"],
  ]);
});

test("an array is of what its first element says, and of strings when it has none", () => {
  const reading = read('{"a":[],"b":["time","int"],"c":[["x|y"]],"d":[{"at":"string"}],"e":["int?"]}');
  expect("sketch" in reading && reading.sketch.fields.map(({ place }) => place)).toEqual([
    { kind: "array", items: { kind: "string" } },
    { kind: "array", items: { kind: "timestamp" } },
    { kind: "array", items: { kind: "array", items: { kind: "enum", options: ["x", "y"] } } },
    {
      kind: "array",
      items: { kind: "object", fields: [{ name: "at", optional: false, place: { kind: "timestamp" } }] },
    },
    { kind: "array", items: { kind: "integer" } },
  ]);
});

test("faults name their place: null, an empty option, a key written twice", () => {
  const reading = read('{"a":{"b/c":null},"d":[null],"e":"x||y","player":"string","player?":"string","f":0,"f":0}');
  expect("faults" in reading && reading.faults.map((fault) => fault.split(":")[0])).toEqual([
    "/a/b~1c",
    "/d/0",
    "/e",
    "/player?",
    "/f",
  ]);
});
