import type { KeptRuns } from "./documents.ts";
import { type Figure, isMet, ratioOf, short } from "./figure.ts";
import type { Step } from "./measurements/scale-out.ts";
import { phases, type StageData } from "./measurements/stages.ts";
import { partTitles, serviceParts } from "./processes.ts";

/** The colours of a bar: those of a series, and those of a verdict. */
type Color = "first" | "second" | "third" | "fourth" | "fifth" | "good" | "bad";

/** One bar, from left to right. Its segments are drawn one after the other. */
type Bar = { label: string; segments: { value: number; color: Color }[]; text: string };

type BarChart = {
  title: string;
  subtitle: string;
  bars: Bar[];
  /** A line across all bars. */
  reference?: { value: number; label: string };
  legend?: { label: string; color: Color }[];
};

const size = { width: 960, label: 390, right: 130, row: 26, bar: 16, head: 64, foot: 18 } as const;

/** Draws a chart as SVG that is readable on a light and on a dark page. */
export function drawBarChart({ title, subtitle, bars, reference, legend = [] }: BarChart): string {
  const head = size.head + (legend.length > 0 ? 22 : 0) + (reference ? 16 : 0);
  const height = head + bars.length * size.row + size.foot;
  const ends = bars.map(({ segments }) => segments.reduce((sum, { value }) => sum + value, 0));
  const most = Math.max(...ends.filter(Number.isFinite), reference?.value ?? 0) || 1;
  const room = size.width - size.label - size.right;
  const x = (value: number) => (room * Math.max(0, value)) / most;
  const rows = bars.map((bar, index) => drawBar(bar, head + index * size.row, x));
  const line = reference && drawReference(reference, { at: size.label + x(reference.value), head, height });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" role="img" aria-label="${escaped(title)}">`,
    style,
    `<rect class="paper" width="${size.width}" height="${height}" rx="8"/>`,
    text(20, 30, title, "title"),
    text(20, 50, subtitle, "soft"),
    ...drawLegend(legend),
    ...rows,
    ...(line ? [line] : []),
    "</svg>",
    "",
  ].join("\n");
}

function drawBar({ label, segments, text: words }: Bar, top: number, x: (value: number) => number): string {
  let sum = 0;
  const parts = segments.map(({ value, color }) => {
    const left = x(sum);
    sum += value;
    const width = Math.max(0.5, x(sum) - left);
    return `<rect class="${color}" x="${fixed(size.label + left)}" y="${top + 4}" width="${fixed(width)}" height="${size.bar}" rx="2"/>`;
  });
  const end = size.label + x(sum) + 8;
  return [text(size.label - 10, top + 16, label, "label"), ...parts, text(end, top + 16, words, "value")].join("\n");
}

function drawReference(
  { label }: NonNullable<BarChart["reference"]>,
  { at, head, height }: { at: number; head: number; height: number },
): string {
  const line = `<line class="line" x1="${fixed(at)}" x2="${fixed(at)}" y1="${head - 4}" y2="${height - size.foot + 4}"/>`;
  return [line, text(at, head - 8, label, "middle")].join("\n");
}

function drawLegend(legend: NonNullable<BarChart["legend"]>): string[] {
  let left = 20;
  return legend.map(({ label, color }) => {
    const at = left;
    left += 34 + label.length * 7;
    return `<rect class="${color}" x="${at}" y="62" width="12" height="12" rx="2"/>\n${text(at + 18, 72, label, "soft")}`;
  });
}

function text(x: number, y: number, words: string, kind: string): string {
  return `<text class="${kind}" x="${fixed(x)}" y="${fixed(y)}">${escaped(words)}</text>`;
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

const style = `<style>
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .soft { fill: #59636e }
  .label { text-anchor: end }
  .middle { text-anchor: middle; fill: #59636e }
  .paper { fill: #ffffff; stroke: #d1d9e0 }
  .line { stroke: #1f2328; stroke-dasharray: 4 3 }
  .first { fill: #2f6feb } .second { fill: #8250df } .third { fill: #bf8700 } .fourth { fill: #1a7f7f } .fifth { fill: #c2410c }
  .good { fill: #1f883d } .bad { fill: #cf222e }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .soft, .middle { fill: #9198a1 }
    .paper { fill: #0d1117; stroke: #3d444d }
    .line { stroke: #e6edf3 }
    .first { fill: #4c8dff } .second { fill: #a879f5 } .third { fill: #d4a72c } .fourth { fill: #39a6a6 } .fifth { fill: #f0883e }
    .good { fill: #3fb950 } .bad { fill: #f85149 }
  }
</style>`;

/** Returns the pictures of docs/performance.md by name. Those without data are left out. */
export function performancePictures(runs: KeptRuns): Record<string, string> {
  const steps = runs["scale-out"]?.data as Step[] | undefined;
  const stages = runs.stages?.data as StageData | undefined;
  return {
    "performance-goals": drawGoals(runs),
    ...(stages && { "performance-stages": drawStages(stages) }),
    ...(steps && { "performance-scale-out": drawScaleOut(steps) }),
  };
}

const colors: readonly Color[] = ["first", "second", "third", "fourth", "fifth"];

function drawGoals(runs: KeptRuns): string {
  const bars = Object.entries(runs).flatMap(([name, { figures }]) =>
    figures.flatMap((figure) => goalBar(name, figure)),
  );
  return drawBarChart({
    title: "How much of each limit is used",
    subtitle: "Shorter is better. A bar beyond the line misses its goal.",
    bars,
    reference: { value: 1, label: "goal" },
  });
}

function goalBar(name: string, figure: Figure): Bar[] {
  const { goal, measured, what } = figure;
  const value = goal?.of === "ratio" ? ratioOf(figure) : measured;
  if (!goal || value === undefined) return [];
  const used = goal.most !== undefined ? value / goal.most : (goal.least ?? 0) / value;
  const label = `${name}: ${what}`;
  const cut = label.length > 56 ? `${label.slice(0, 55)}…` : label;
  const text = goal.of === "ratio" ? `× ${value.toFixed(2)}` : `${short(measured)} ${figure.unit}`;
  return [{ label: cut, segments: [{ value: Math.min(used, 2), color: isMet(figure) ? "good" : "bad" }], text }];
}

function drawStages({ phases: table }: StageData): string {
  const bars = phases.map((phase) => {
    const segments = serviceParts.map((part, index) => ({
      value: 1000 * table[phase].cpuSeconds[part],
      color: colors[index] ?? "first",
    }));
    return { label: phase, segments, text: `${short(segments.reduce((sum, { value }) => sum + value, 0))} ms` };
  });
  return drawBarChart({
    title: "Processor time of a job by stage and process",
    subtitle: "One job at a time, without what the processes use at rest.",
    bars,
    legend: serviceParts.map((part, index) => ({ label: partTitles[part], color: colors[index] ?? "first" })),
  });
}

function drawScaleOut(steps: readonly Step[]): string {
  const one = steps[0]?.jobsPerSecond ?? 0;
  const bars = steps.flatMap(({ workers, jobsPerSecond, busy }): Bar[] => [
    {
      label: `${workers} ${workers === 1 ? "worker" : "workers"}, ${Math.round(100 * busy)} % of the processors in use`,
      segments: [{ value: jobsPerSecond, color: "first" }],
      text: `${short(jobsPerSecond)} jobs/s, × ${(jobsPerSecond / (workers * one)).toFixed(2)}`,
    },
    {
      label: "one worker times their number",
      segments: [{ value: workers * one, color: "third" }],
      text: short(workers * one),
    },
  ]);
  return drawBarChart({
    title: "Jobs a second by the number of workers",
    subtitle: "Beside the same multiple of one worker. All processes share one machine.",
    bars,
  });
}
