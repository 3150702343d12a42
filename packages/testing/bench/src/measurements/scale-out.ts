import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Benchmark, Run } from "../benchmark.ts";
import { openExtractor } from "../calls.ts";
import { type Figure, figure, type Measurement } from "../figure.ts";
import { ofService, readMachineLoad, readUsage, usedBetween } from "../processes.ts";
import { type Service, startService } from "../service.ts";
import { makeClip } from "../videos.ts";

/** Jobs per second with a growing number of workers, compared with the same multiple of one worker. */
export const scaleOut: Benchmark = {
  name: "scale-out",
  title: "Scale-out",
  how: "jobs a second with 1, 2, 4 and 8 workers of 4 places each and a provider that takes 3 s, beside the same multiple of one worker",
  measure: measureScaleOut,
};

/** `busy` is the share of all processors in use, by all programs of the machine. */
export type Step = { workers: number; jobsPerSecond: number; busy: number; cpuSecondsAJob: number };

const goals = { ofLinear: 0.9, full: 0.9 } as const;
const places = 4;

async function measureScaleOut(run: Run): Promise<Measurement> {
  const { quick, tell } = run;
  const latencyMs = quick ? 500 : 3000;
  const rounds = quick ? 3 : 7;
  const clip = join(run.dataDir, "clip.mp4");
  await makeClip(clip);
  const steps: Step[] = [];
  for (const workers of quick ? [1, 2] : [1, 2, 4, 8]) {
    tell(`Starting ${workers} ${workers === 1 ? "worker" : "workers"}, and ${rounds} rounds of jobs …`);
    const all = workers * places;
    const settings = { GLOBAL_CONCURRENCY: String(all), WORKER_CONCURRENCY: String(places) };
    const dataDir = join(run.dataDir, `workers-${workers}`);
    await using service = await startService({ ...run, dataDir }, { workers, settings });
    using extract = await openExtractor(service, clip);
    // The code of every process is compiled first, and the evidence of the clip is found.
    await steadyRate(service, extract, { inFlight: 8, warmUp: 20, jobs: 10 });
    await service.setLatency(latencyMs);
    const load = { inFlight: all + 2 * workers, warmUp: all, jobs: rounds * all };
    steps.push({ workers, ...(await steadyRate(service, extract, load)) });
  }
  return {
    figures: scaleOutFigures(steps),
    conditions: [
      `1 API, ${places} places a worker, a provider that takes ${latencyMs / 1000} s`,
      `${rounds} rounds of all places`,
    ],
    data: steps,
  };
}

/** Returns the figures of each step. The goal applies while the processors are not fully used. */
export function scaleOutFigures(steps: readonly Step[]): Figure[] {
  const one = steps[0]?.jobsPerSecond ?? 0;
  return steps.flatMap(({ workers, jobsPerSecond, busy, cpuSecondsAJob }) => {
    const on = `${workers} ${workers === 1 ? "worker" : "workers"}`;
    const isFull = busy >= goals.full;
    return [
      figure(isFull ? `${on} (the processors are full)` : on, "jobs/s", jobsPerSecond, {
        beside: [`${workers} × one`, workers * one],
        ratio: workers > 1 && !isFull ? { least: goals.ofLinear } : undefined,
      }),
      figure(`${on}: processors in use, of ${availableParallelism()}`, "%", 100 * busy),
      figure(`${on}: processor time of the service a job`, "CPU s", cpuSecondsAJob),
    ];
  });
}

type Load = { inFlight: number; warmUp: number; jobs: number };

/** Runs jobs with a constant number in flight. Measures those after the warm-up jobs. */
async function steadyRate({ processes }: Service, extract: () => Promise<unknown>, { inFlight, warmUp, jobs }: Load) {
  let ended = 0;
  const now = () => ({ at: performance.now(), machine: readMachineLoad(), usage: readUsage(processes) });
  let first = now();
  let last = first;
  const line = async () => {
    while (ended < warmUp + jobs) {
      await extract();
      ended += 1;
      if (ended === warmUp) first = now();
      if (ended === warmUp + jobs) last = now();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, line));
  return {
    jobsPerSecond: (1000 * jobs) / (last.at - first.at),
    busy: (last.machine.busy - first.machine.busy) / (last.machine.all - first.machine.all),
    cpuSecondsAJob: ofService(usedBetween(first.usage, last.usage)) / jobs,
  };
}
