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
  if ("errors" in reading) throw new Error(reading.errors.join());
  return reading.sketch.fields.map(({ name, optional, place }) => [
    name,
    place.kind,
    ...(optional ? ["optional"] : []),
  ]);
};

test("the literal of a number decides between number and integer", () => {
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

test("keys keep their order, including integer-like ones and __proto__", () => {
  expect(fields('{"10":0,"__proto__":"string","2":0,"constructor?":0}')).toEqual([
    ["10", "integer"],
    ["__proto__", "string"],
    ["2", "integer"],
    ["constructor", "integer", "optional"],
  ]);
});

test("a timestamp key makes a timestamp of strings, free text and numbers only", () => {
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

test("the first element of an array decides its type; an empty array has strings", () => {
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

test("errors name their position: null, an empty option, a key written twice", () => {
  const reading = read('{"a":{"b/c":null},"d":[null],"e":"x||y","player":"string","player?":"string","f":0,"f":0}');
  expect("errors" in reading && reading.errors.map((error) => error.split(":")[0])).toEqual([
    "/a/b~1c",
    "/d/0",
    "/e",
    "/player?",
    "/f",
  ]);
});
