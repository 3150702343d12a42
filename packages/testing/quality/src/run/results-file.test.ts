import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openResultsFile } from "./results-file.ts";
import { createPurse } from "./spending.ts";

function scratchFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "results-file-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, "results.jsonl");
}

const spent = (tokens: number) => ({ requests: 1, inTokens: tokens, outTokens: 0 });
const result = (id: string) => ({ mode: "honest", column: "first pass", id, data: {}, spent: spent(10), seconds: 1 });

test("a run that is killed between two lines or inside a line continues from the complete lines", () => {
  const path = scratchFile();
  const file = openResultsFile(path, "settings");
  for (const [index, id] of ["one", "two"].entries()) {
    file.reserve(index + 1, spent(100));
    file.settle(index + 1, spent(10));
    file.add(result(id));
  }
  file.close();
  const whole = readFileSync(path);
  const ends = [...whole.entries()].flatMap(([index, byte]) => (byte === 10 ? [index] : []));
  for (const length of [0, ...ends.flatMap((end) => [end - 20, end, end + 1])]) {
    writeFileSync(path, whole.subarray(0, length));
    const again = openResultsFile(path, "settings");
    const lines = whole.subarray(0, length).toString().split("\n").slice(0, -1);
    const count = (kind: string) => lines.filter((line) => line.includes(`"kind":"${kind}"`)).length;
    expect(again.results.map(({ id }) => id)).toEqual(["one", "two"].slice(0, count("case")));
    // A question whose price is unknown counts with the highest one.
    const open = count("reserved") - count("settled");
    expect(again.spentBefore.inTokens, `${length} bytes`).toBe(open * 100 + count("settled") * 10);
    again.add(result("three"));
    again.close();
    const third = openResultsFile(path, "settings");
    expect(third.results.at(-1)).toMatchObject({ id: "three" });
    third.close();
  }
});

test("the file of a run with other settings is refused", () => {
  const path = scratchFile();
  openResultsFile(path, "settings").close();
  expect(() => openResultsFile(path, "others")).toThrow("belongs to a run with other settings");
});

test("a purse never allows more than its budget, also with questions in flight", () => {
  const budget = { requests: 5, tokens: 1000, dollars: undefined };
  const nothing = { onReserve: () => {}, onSettle: () => {} };
  const purse = createPurse({ budget, prices: undefined, before: spent(100), ...nothing });
  const first = purse.reserve(spent(400));
  expect(purse.reserve(spent(400))).toBeDefined();
  first?.settle(spent(150));
  expect(purse.spent().inTokens).toBe(250);
  expect(purse.isEmpty()).toBe(false);
  expect(purse.reserve(spent(351))).toBeUndefined();
  expect(purse.isEmpty()).toBe(true);
  expect(purse.reserve(spent(1))).toBeUndefined();
});

test("dollars count with the prices of questions and answers", () => {
  const budget = { requests: undefined, tokens: undefined, dollars: 0.01 };
  const nothing = { onReserve: () => {}, onSettle: () => {} };
  const options = { budget, prices: { inDollars: 1, outDollars: 10 }, ...nothing };
  const purse = createPurse({ ...options, before: { requests: 0, inTokens: 0, outTokens: 0 } });
  expect(purse.reserve({ requests: 1, inTokens: 5000, outTokens: 500 })).toBeDefined();
  expect(purse.reserve({ requests: 1, inTokens: 0, outTokens: 1 })).toBeUndefined();
});
