import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Benchmark, Run } from "../benchmark.ts";
import { openExtractor } from "../calls.ts";
import { type Figure, figure, type Measurement } from "../figure.ts";
import { mapParts, ofService, partTitles, readUsage, serviceParts, type Usage, usedBetween } from "../processes.ts";
import { forkScript } from "../script.ts";
import { startService } from "../service.ts";
import { repeat, summary } from "../times.ts";
import { findFfprobe, makeClip } from "../videos.ts";

/** Whole extractions beside a bare script that does the same work in one process. */
export const overhead: Benchmark = {
  name: "overhead",
  title: "What the service adds",
  how: "whole extractions of a clip of 1 MB at 1, 20 and 100 in flight, in turns with a bare script; processor time by process",
  measure: measureOverhead,
};

const goals = { time: 1.1, throughput: 0.85, cpuSeconds: 0.15 } as const;
const workers = 2;

/** Three rounds of the provider for each half with 1 in flight, and two with 20 and 100. The numbers of jobs are even. */
const levels = { 1: 6, 20: 80, 100: 400 } as const;
const quickLevels = { 1: 2, 100: 100 } as const;

/** Jobs with a fixed number in flight: times in milliseconds, throughput, and processor seconds per job by part. */
type Level = { p50: number; p99: number; jobsPerSecond: number; cpuSeconds: Usage };

/**
 * Starts the service and a bare script that does the same work in one process, with the same provider, clip and
 * ffprobe. Measures both, at each number of jobs in flight, in turns: script, service, service, script. So both have
 * the same conditions. Throws when a job fails.
 */
async function measureOverhead(run: Run): Promise<Measurement> {
  const { quick, tell } = run;
  const latencyMs = quick ? 1000 : 5000;
  tell("Starting Postgres, Redis, the emulator, an API and the workers …");
  const settings = { GLOBAL_CONCURRENCY: "100", WORKER_CONCURRENCY: "100" };
  await using service = await startService(run, { workers, settings });
  const ffprobe = await findFfprobe();
  const clip = join(run.dataDir, "clip.mp4");
  const clipBytes = await makeClip(clip);
  const args = [String(service.emulatorUrl), ffprobe.path, clip];
  using script = forkScript<{ jobs: number; inFlight: number }, number[]>(
    new URL("./bare-script.ts", import.meta.url),
    args,
  );
  using extract = await openExtractor(service, clip);
  const runs = {
    bare: (jobs: number, inFlight: number) => script.run({ jobs, inFlight }),
    service: (jobs: number, inFlight: number) => repeat(extract, jobs, inFlight),
  };
  const processes = [...service.processes, { name: "script", pid: script.pid }];

  tell("Warming up …");
  for (const warmUp of [runs.bare, runs.service]) await warmUp(quick ? 20 : 200, 8);
  await service.setLatency(latencyMs);
  const rest = await runHalf(() => sleep(quick ? 1000 : 10_000, []), processes);
  const figures: Figure[] = [];
  const all = Object.entries(quick ? quickLevels : levels);
  for (const [at, jobs] of all) {
    const inFlight = Number(at);
    tell(`Running ${jobs} jobs each, ${inFlight} in flight …`);
    const halves = { bare: [] as Half[], service: [] as Half[] };
    for (const who of ["bare", "service", "service", "bare"] as const) {
      halves[who].push(await runHalf(() => runs[who](jobs / 2, inFlight), processes));
    }
    const measured = levelOf(halves.service);
    figures.push(...figuresOf(inFlight, measured, levelOf(halves.bare)));
    if (inFlight === 100)
      figures.push(...serviceParts.map((part) => cpu(inFlight, partTitles[part], measured.cpuSeconds[part])));
  }
  figures.push(figure("processor time a second without any job", "CPU s", ofService(rest.used) / rest.seconds));
  return {
    figures,
    conditions: [
      `1 API, ${workers} workers`,
      `a clip of ${(clipBytes / 1e6).toFixed(2)} MB, a provider that takes ${latencyMs / 1000} s`,
      `ffmpeg ${ffprobe.version}`,
      `jobs each: ${all.map(([, jobs]) => jobs).join(", ")}`,
    ],
  };
}

type Half = { times: number[]; seconds: number; used: Usage };

async function runHalf(run: () => Promise<number[]>, processes: readonly { name: string; pid: number }[]) {
  const before = readUsage(processes);
  const began = performance.now();
  const times = await run();
  const seconds = (performance.now() - began) / 1000;
  return { times, seconds, used: usedBetween(before, readUsage(processes)) };
}

function levelOf(halves: readonly Half[]): Level {
  const times = halves.flatMap((half) => half.times);
  const sum = (of: (half: Half) => number) => halves.reduce((total, half) => total + of(half), 0);
  return {
    ...summary(times),
    jobsPerSecond: times.length / sum(({ seconds }) => seconds),
    cpuSeconds: mapParts((part) => sum(({ used }) => used[part]) / times.length),
  };
}

function figuresOf(inFlight: number, service: Level, bare: Level): Figure[] {
  const at = `${inFlight} in flight`;
  const beside = (measured: number) => ["bare script", measured] as const;
  const time = inFlight === 1 ? { most: goals.time } : undefined;
  const throughput = inFlight === 100 ? { least: goals.throughput } : undefined;
  const most = inFlight > 1 ? goals.cpuSeconds : undefined;
  return [
    figure(`p50, ${at}`, "s", service.p50 / 1000, { beside: beside(bare.p50 / 1000), ratio: time }),
    figure(`p99, ${at}`, "s", service.p99 / 1000, { beside: beside(bare.p99 / 1000) }),
    figure(`throughput, ${at}`, "jobs/s", service.jobsPerSecond, {
      beside: beside(bare.jobsPerSecond),
      ratio: throughput,
    }),
    {
      ...cpu(inFlight, "all processes of the service", ofService(service.cpuSeconds), most),
      beside: { what: "bare script", measured: bare.cpuSeconds.script + bare.cpuSeconds.ffprobe },
    },
  ];
}

function cpu(inFlight: number, what: string, measured: number, most?: number): Figure {
  return figure(`processor time a job, ${inFlight} in flight: ${what}`, "CPU s", measured, { most });
}
