import { type Bar, type Color, drawBarChart } from "./bar-chart.ts";
import type { KeptRuns } from "./documents.ts";
import { type Figure, isMet, ratioOf, short } from "./figure.ts";
import type { Step } from "./measurements/scale-out.ts";
import { phases, type StageData } from "./measurements/stages.ts";
import { partTitles, serviceParts } from "./processes.ts";

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
