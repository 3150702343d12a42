import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "./journal.ts";

function scratchFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "journal-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, "results.jsonl");
}

const unlimited = { requests: undefined, tokens: undefined, dollars: undefined };
const options = { settings: "settings", budget: unlimited, prices: undefined };
const spent = (inTokens: number, outTokens = 0) => ({ requests: 1, inTokens, outTokens });
const result = (id: string) => ({ mode: "honest", column: "first pass", id, data: {}, spent: spent(10), seconds: 1 });

test("a run that is killed between two lines or inside a line continues from the complete lines", () => {
  const path = scratchFile();
  const journal = openJournal(path, options);
  for (const id of ["one", "two"]) {
    journal.reserve(spent(100))?.(spent(10));
    journal.add(result(id));
  }
  journal.close();
  const whole = readFileSync(path);
  const ends = [...whole.entries()].flatMap(([index, byte]) => (byte === 10 ? [index] : []));
  for (const length of [0, ...ends.flatMap((end) => [end - 20, end, end + 1])]) {
    writeFileSync(path, whole.subarray(0, length));
    const again = openJournal(path, options);
    const lines = whole.subarray(0, length).toString().split("\n").slice(0, -1);
    const count = (part: string) => lines.filter((line) => line.includes(part)).length;
    expect(again.results.map(({ id }) => id)).toEqual(["one", "two"].slice(0, count('"kind":"case"')));
    // A question whose price is unknown counts with the highest one.
    const [reserved, settled] = [
      count('"price":{"requests":1,"inTokens":100,'),
      count('"inTokens":10,"outTokens":0}}'),
    ];
    expect(again.spent().inTokens, `${length} bytes`).toBe((reserved - settled) * 100 + settled * 10);
    again.add(result("three"));
    again.close();
    const third = openJournal(path, options);
    expect(third.results.at(-1)).toMatchObject({ id: "three" });
    third.close();
  }
});

test("the file of a run with other settings is refused", () => {
  const path = scratchFile();
  openJournal(path, options).close();
  expect(() => openJournal(path, { ...options, settings: "others" })).toThrow("belongs to a run with other settings");
});

test("a run never spends more than its budget, also with questions in flight and after it is continued", () => {
  const path = scratchFile();
  const limited = { ...options, budget: { requests: 5, tokens: 1000, dollars: undefined } };
  const before = openJournal(path, limited);
  before.reserve(spent(100));
  before.close();
  const journal = openJournal(path, limited);
  onTestFinished(journal.close);
  const settle = journal.reserve(spent(400));
  expect(journal.reserve(spent(400))).toBeDefined();
  settle?.(spent(150));
  expect(journal.spent().inTokens).toBe(650);
  expect(journal.isEmpty()).toBe(false);
  expect(journal.reserve(spent(351))).toBeUndefined();
  expect(journal.isEmpty()).toBe(true);
  expect(journal.reserve(spent(1))).toBeUndefined();
});

test("dollars count with the prices of questions and answers", () => {
  const prices = { inDollars: 1, outDollars: 10 };
  const journal = openJournal(scratchFile(), { ...options, prices, budget: { ...unlimited, dollars: 0.01 } });
  onTestFinished(journal.close);
  expect(journal.reserve(spent(5000, 500))).toBeDefined();
  expect(journal.reserve(spent(0, 1))).toBeUndefined();
});
