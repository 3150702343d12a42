import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readOptions } from "../options.ts";
import { scoreAnswer } from "../score/score-answer.ts";
import { readCases } from "./read-cases.ts";

const span = { startMs: 5_000, endMs: 9_000 };
const goals = { pointer: "/goals", startKey: "at", endKey: null };
const truth = {
  values: [{ pointer: "/score", value: "2-1" }],
  times: [],
  lists: [{ ...goals, items: [{ span, times: { at: 5_000 }, values: { by: "Ada" }, absent: [] }] }],
  absent: [],
};
const own = { schema: { score: "string", goals: [{ at: "timestamp", by: "string" }] }, durationMs: 60_000, truth };

function directoryWith(files: Record<string, string>): string {
  const directory = mkdtempSync(join(tmpdir(), "v2j-cases-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

test("a user's own video and truth are a case that answers are scored by", async () => {
  const directory = directoryWith({ "final.json": JSON.stringify(own), "final.mp4": "bytes" });
  const [only] = readCases(directory);
  expect([only?.id, String(await only?.video())]).toEqual(["final", "bytes"]);
  const right = { score: "2-1", goals: [{ at: "00:05", by: "Ada" }] };
  const scoreOf = (answer: unknown) => scoreAnswer(only?.truth as typeof truth, answer).score;
  expect(scoreOf(right)).toMatchObject({ withinOne: { of: 1, all: 1 }, values: { of: 2, all: 2 } });
  expect(scoreOf({ ...right, score: "3-1" })).toMatchObject({ values: { of: 1, all: 2 } });
});

test("a case without a video or with another form is refused by the name of its file", () => {
  expect(() => readCases(directoryWith({ "a.json": JSON.stringify(own) }))).toThrow("a.mp4 is missing");
  expect(() => readCases(directoryWith({ "b.json": "{}", "b.mp4": "" }))).toThrow("b.json is not a case");
  expect(() => readCases(directoryWith({}))).toThrow("has no case");
});

test("a run with own cases does not claim seeds", () => {
  expect(readOptions(["--cases", "mine"], {})?.facts).toMatchObject({ seeds: [], halves: "own cases" });
});
