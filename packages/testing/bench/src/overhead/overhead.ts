import type { Benchmark, Run } from "../benchmark.ts";
import { ofService, partTitles, serviceParts } from "../processes/usage.ts";
import type { Figure, Measurement } from "../report/figure.ts";
import { type Level, measureOverhead, type OverheadResult } from "./measure-overhead.ts";

/** Whole extractions beside a bare script that does the same work in one process. */
export const overhead: Benchmark = {
  name: "overhead",
  title: "What the service adds",
  how: "whole extractions of a clip of 1 MB at 1, 20 and 100 in flight, in turns with a bare script; processor time by process",
  async measure(run) {
    const result = await measureOverhead({ ...run, ...sizesOf(run) });
    return { figures: figuresOf(result), conditions: conditionsOf(result), data: result };
  },
};

/** Three rounds of the provider for each half with 1 in flight, and two with 20 and 100. */
function sizesOf({ quick }: Run) {
  const levels = quick
    ? [
        { inFlight: 1, jobs: 4 },
        { inFlight: 100, jobs: 200 },
      ]
    : [
        { inFlight: 1, jobs: 6 },
        { inFlight: 20, jobs: 80 },
        { inFlight: 100, jobs: 400 },
      ];
  return {
    workers: 2,
    warmUpJobs: quick ? 20 : 200,
    restMs: quick ? 1000 : 10_000,
    latencyMs: quick ? 1000 : 5000,
    levels,
  };
}

const goals = { time: 1.1, throughput: 0.85, cpuSeconds: 0.15 } as const;

/** Returns the figures for each number in flight, and the processor time per job by process for the largest number. */
export function figuresOf({ levels, atRest }: OverheadResult): Figure[] {
  const most = levels.at(-1);
  return [
    ...levels.flatMap(figuresOfLevel),
    ...(most ? serviceParts.map((part) => cpuFigure(most, partTitles[part], most.service.cpuSeconds[part])) : []),
    { what: "processor time a second without any job", unit: "CPU s", measured: ofService(atRest) },
  ];
}

function figuresOfLevel(level: Level): Figure[] {
  const { inFlight, bare, service } = level;
  const figure = (what: string, unit: string, of: "p50" | "p99" | "jobsPerSecond", by = 1): Figure => ({
    what: `${what}, ${inFlight} in flight`,
    unit,
    measured: service[of] / by,
    beside: { what: "bare script", measured: bare[of] / by },
  });
  return [
    {
      ...figure("p50", "s", "p50", 1000),
      ...(inFlight === 1 && { goal: { of: "ratio", most: goals.time } as const }),
    },
    figure("p99", "s", "p99", 1000),
    {
      ...figure("throughput", "jobs/s", "jobsPerSecond"),
      ...(inFlight === 100 && { goal: { of: "ratio", least: goals.throughput } as const }),
    },
    {
      ...cpuFigure(level, "all processes of the service", ofService(service.cpuSeconds)),
      beside: { what: "bare script", measured: bare.cpuSeconds.script + bare.cpuSeconds.ffprobe },
      ...(inFlight > 1 && { goal: { of: "measured", most: goals.cpuSeconds } as const }),
    },
  ];
}

function cpuFigure({ inFlight }: Level, what: string, measured: number): Figure {
  return { what: `processor time a job, ${inFlight} in flight: ${what}`, unit: "CPU s", measured };
}

function conditionsOf({ workers, ffprobe, clipBytes, latencyMs, levels }: OverheadResult): Measurement["conditions"] {
  return [
    `1 API, ${workers} workers`,
    `a clip of ${(clipBytes / 1e6).toFixed(2)} MB, a provider that takes ${latencyMs / 1000} s`,
    `ffmpeg ${ffprobe.version} (${ffprobe.isMinimal ? "minimal build" : "the machine's own"})`,
    `jobs each: ${levels.map(({ jobs }) => jobs).join(", ")}`,
  ];
}
