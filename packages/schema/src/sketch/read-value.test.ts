import { expect, test } from "vitest";
import { readValue } from "./read-value.ts";

const read = (text: string) => {
  const reading = readValue(text);
  return "error" in reading ? reading.error : { ...reading.place, ...(reading.optional && { optional: true }) };
};

test("every type word and synonym has its type, in upper or lower case", () => {
  const words = {
    string: ["string", "text", "str", "String", " TEXT "],
    number: ["number", "float", "decimal", "FLOAT"],
    integer: ["integer", "int", "Int"],
    boolean: ["boolean", "bool", "BOOL"],
    timestamp: ["timestamp", "time", "at", "when", "clock", "Time"],
  };
  for (const [kind, list] of Object.entries(words)) for (const word of list) expect(read(word), word).toEqual({ kind });
});

test("a description may follow a type word after any of the separators", () => {
  for (const text of [
    "int — score",
    "int—score",
    "int -- score",
    "int--score",
    "int - score",
    "int -score",
    "int- score",
    "int // score",
    "int//score",
    "int: score",
    "int:score",
    "int : score",
  ]) {
    expect(read(text), text).toEqual({ kind: "integer", description: "score" });
  }
});

test("a separator at the end makes no description", () => {
  for (const text of ["int:", "int —", "int --", "int -"]) expect(read(text), text).toEqual({ kind: "integer" });
});

test("a word that only starts like a type is a description", () => {
  for (const text of [
    "time-lapse",
    "at the gate",
    "strings",
    "integer count",
    "text/plain",
    "when it rains",
    "string – x",
  ]) {
    expect(read(text), text).toEqual({ kind: "string", description: text });
  }
});

test("a question mark after the type word, after the options or at the end marks the field optional", () => {
  expect(read("string?")).toEqual({ kind: "string", optional: true });
  expect(read("string ?")).toEqual({ kind: "string", optional: true });
  expect(read("time? — the goal")).toEqual({ kind: "timestamp", description: "the goal", optional: true });
  expect(read("a|b|c?")).toEqual({ kind: "enum", options: ["a", "b", "c"], optional: true });
  expect(read("a|b? -- which")).toEqual({ kind: "enum", options: ["a", "b"], description: "which", optional: true });
  expect(read("string — is it on?")).toEqual({ kind: "string", description: "is it on?", optional: true });
  expect(read("Is the light on?")).toEqual({ kind: "string", description: "Is the light on?", optional: true });
  expect(read("?")).toEqual({ kind: "string", optional: true });
});

test("options are trimmed, kept whole and not repeated", () => {
  expect(read(" red | green|red ")).toEqual({ kind: "enum", options: ["red", "green"] });
  expect(read("16:9|4:3")).toEqual({ kind: "enum", options: ["16:9", "4:3"] });
  expect(read("left-wing|right-wing")).toEqual({ kind: "enum", options: ["left-wing", "right-wing"] });
  expect(read("string|number")).toEqual({ kind: "enum", options: ["string", "number"] });
});

test("an enum carries a description after a separator with white space around it", () => {
  for (const text of ["a|b — pick", "a|b -- pick", "a|b // pick"]) {
    expect(read(text), text).toEqual({ kind: "enum", options: ["a", "b"], description: "pick" });
  }
  expect(read("a|b--c")).toEqual({ kind: "enum", options: ["a", "b--c"] });
  expect(read("string — a|b")).toEqual({ kind: "string", description: "a|b" });
  expect(read("who speaks -- host|guest")).toEqual({ kind: "string", description: "who speaks -- host|guest" });
});

test("an empty option is an error", () => {
  for (const text of ["a||b", "|", "a|", "|a", "a| |b", "a|b|?"])
    expect(read(text), text).toMatch(/option of the enum is empty/);
});

test("any other text describes a string, and an empty one is a plain string", () => {
  expect(read("the name on the shirt")).toEqual({ kind: "string", description: "the name on the shirt" });
  expect(read("  ")).toEqual({ kind: "string" });
});
