import { expect, test } from "vitest";
import { drawBarChart } from "./bar-chart.ts";

const bar = (label: string, value: number) => ({
  label,
  segments: [{ value, color: "first" as const }],
  text: String(value),
});

test("bars are as long as their values, and labels cannot break the picture", () => {
  const svg = drawBarChart({
    title: 'a <b> & "c"',
    subtitle: "",
    bars: [bar("one", 1), bar("two", 2)],
  });
  const widths = [...svg.matchAll(/class="first"[^>]* width="([\d.]+)"/g)].map((match) => Number(match[1]));
  expect(widths).toHaveLength(2);
  expect(Number(widths[1]) / Number(widths[0])).toBeCloseTo(2, 1);
  expect(svg).toContain("a &lt;b&gt; &amp; &quot;c&quot;");
  expect(svg).toContain("prefers-color-scheme: dark");
});
