import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing/running";
import { expect, test } from "vitest";
import { drawBarChart } from "./charts.ts";
import { fillBlocks } from "./documents.ts";
import { type Figure, figureTable, isMet } from "./figure.ts";
import { scaleOutFigures } from "./measurements/scale-out.ts";

const speed: Figure = { what: "speed", unit: "MB/s", measured: 79, beside: { what: "bare", measured: 100 } };

test("a goal for a ratio is missed just beyond its limit, and met on it", () => {
  expect(isMet({ ...speed, goal: { of: "ratio", least: 0.8 } })).toBe(false);
  expect(isMet({ ...speed, measured: 80, goal: { of: "ratio", least: 0.8 } })).toBe(true);
  expect(isMet({ ...speed, goal: { of: "measured", most: 78.9 } })).toBe(false);
  expect(isMet(speed)).toBeUndefined();
});

test("a figure that could not be measured misses its goal", () => {
  expect(isMet({ ...speed, measured: Number.NaN, goal: { of: "measured", most: 1 } })).toBe(false);
  expect(isMet({ ...speed, measured: Number.POSITIVE_INFINITY, goal: { of: "measured", most: 1e9 } })).toBe(false);
});

test("a missed goal is written as missed", () => {
  const table = figureTable([{ ...speed, goal: { of: "ratio", least: 0.8 } }, speed]);
  expect(table).toEqual([
    ["", "measured", "beside it", "ratio", "goal", ""],
    ["speed", "79.0 MB/s", "100 MB/s (bare)", "× 0.79", "≥ × 0.80", "MISSED"],
    ["speed", "79.0 MB/s", "100 MB/s (bare)", "× 0.79", "", ""],
  ]);
});

const bar = (label: string, value: number) => ({
  label,
  segments: [{ value, color: "first" as const }],
  text: String(value),
});

test("bars are as long as their values, and labels cannot break the picture", () => {
  const svg = drawBarChart({ title: 'a <b> & "c"', subtitle: "", bars: [bar("one", 1), bar("two", 2)] });
  const widths = [...svg.matchAll(/class="first"[^>]* width="([\d.]+)"/g)].map((match) => Number(match[1]));
  expect(widths).toHaveLength(2);
  expect(Number(widths[1]) / Number(widths[0])).toBeCloseTo(2, 1);
  expect(svg).toContain("a &lt;b&gt; &amp; &quot;c&quot;");
  expect(svg).toContain("prefers-color-scheme: dark");
});

test("the figures in the repository contain no path of a machine", () => {
  const files = globSync(join(repositoryRoot, "docs", "data", "*.json"));
  expect(files).not.toEqual([]);
  for (const file of files) expect(readFileSync(file, "utf8")).not.toMatch(/"\/\w/);
});

const text =
  "# a\n\n<!-- figures: one -->\nold\n<!-- end of figures -->\n\nwords\n\n<!-- figures: two -->\n<!-- end of figures -->\n";

test("blocks are replaced, and the words around them stay", () => {
  const filled = fillBlocks(text, { one: ["1"], two: ["2"] });
  expect(filled).toContain("<!-- figures: one -->\n\n1\n\n<!-- end of figures -->\n\nwords");
  expect(filled).not.toContain("old");
  expect(fillBlocks(filled, { one: ["1"], two: ["2"] })).toBe(filled);
});

test("a document without a place for a block is refused", () => {
  expect(() => fillBlocks(text, { three: [] })).toThrow(/no block of figures named three/);
});

const step = (workers: number, jobsPerSecond: number, busy: number) => ({
  workers,
  jobsPerSecond,
  busy,
  cpuSecondsAJob: 0.1,
});

test("a step below 0.9 of linear misses its goal, unless the processors are full", () => {
  const figures = scaleOutFigures([step(1, 1, 0.2), step(2, 1.81, 0.4), step(4, 3.5, 0.8), step(8, 4, 0.95)]);
  const met = Object.fromEntries(figures.map((figure) => [figure.what, isMet(figure)]));
  expect(met).toMatchObject({ "1 worker": undefined, "2 workers": true, "4 workers": false });
  expect(met["8 workers (the processors are full)"]).toBeUndefined();
});
