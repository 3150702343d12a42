import { expect, test } from "vitest";
import { readJson } from "../json/read-json.ts";
import { refusedTexts } from "./refused-texts.ts";

const refused = (sketch: object) => refusedTexts(readJson(JSON.stringify(sketch), { maxDepth: 64, maxValues: 1000 }));

test.for([
  ["string|null", '"string?"'],
  ["str | None", '"str?"'],
  ["NULL | Float", '"Float?"'],
  ["int|null — goals", '"int? — goals"'],
  ["integer|number", '"number"'],
  ["text|string", '"text"'],
  ["string|number|null", '"string?"'],
  ["time|null?", '"time?"'],
  ["null|null", '"string?"'],
  ["string[]", '["string"]'],
  ["Int []", '["Int"]'],
  ["time[] — every goal", '["time — every goal"]'],
  ["string[]?", '["string"], and put the `?` on the key'],
  ["string[]|null", '["string"]'],
  ["number[][]", '[["number"]]'],
] as const)("%s is refused at its place, with %s to write instead", ([text, instead]) => {
  const [first, ...more] = refused({ a: [{ "b/c": text }] });
  expect(more).toEqual([]);
  expect(first?.startsWith(`/a/0/b~1c: write ${instead}`), first).toBe(true);
});

test.for([
  "home|away",
  "home|away|null",
  "string — one | two",
  "a|b[]",
  "strings[]",
  "array",
  "integer (0-10)",
  "timestamp (MM:SS)",
  "Who scored?",
  "null",
  "time|place",
])("%s is not refused", (text) => {
  expect(refused({ a: text, b: [text], c: { d: text } })).toEqual([]);
});

test("an element after the first means nothing and is not refused", () => {
  expect(refused({ a: ["string", "string[]"] })).toEqual([]);
});

test("a long text costs linear time", () => {
  const before = process.cpuUsage();
  for (const text of [`string${" ".repeat(250_000)}x`, `string${"[]".repeat(100_000)}`, "string|".repeat(30_000)])
    refused({ a: text });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(5000);
});
