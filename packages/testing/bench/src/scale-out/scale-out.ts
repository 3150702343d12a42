import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { startStack } from "@video-to-json/stack";
import { emulatorControl } from "@video-to-json/testing/running";
import type { Benchmark, Run } from "../benchmark.ts";
import { makeClip } from "../overhead/clip.ts";
import { createCaller } from "../overhead/extract.ts";
import { openPayingAccount } from "../overhead/open-paying-account.ts";
import { readMachineLoad } from "../processes/machine-load.ts";
import { ofService, readUsage, type Usage, usedBetween } from "../processes/usage.ts";
import type { Figure, Measurement } from "../report/figure.ts";

/** Jobs per second with a growing number of workers, compared with the same multiple of one worker. */
export const scaleOut: Benchmark = {
  name: "scale-out",
  title: "Scale-out",
  how: "jobs a second with 1, 2, 4 and 8 workers of 4 places each and a provider that takes 3 s, beside the same multiple of one worker",
  measure: measureScaleOut,
};

/**
 * The result of one number of workers. `busy` is the share of all processors in use, by all programs of the machine.
 */
export type Step = { workers: number; jobsPerSecond: number; busy: number; cpuSecondsAJob: number };

const goals = { ofLinear: 0.9, full: 0.9 } as const;
const places = 4;

async function measureScaleOut({ dataDir, env, quick, tell }: Run): Promise<Measurement> {
  const latencyMs = quick ? 500 : 3000;
  const rounds = quick ? 3 : 7;
  const clip = join(dataDir, "clip.mp4");
  await makeClip(clip);
  const body = await readFile(clip);
  const steps: Step[] = [];
  for (const workers of quick ? [1, 2] : [1, 2, 4, 8]) {
    tell(`Starting ${workers} ${workers === 1 ? "worker" : "workers"}, and ${rounds} rounds of jobs …`);
    const most = String(workers * places);
    const limits = { MAX_JOBS_PER_ACCOUNT: "1000000", EXTRACTIONS_PER_MINUTE: "1000000", GLOBAL_CONCURRENCY: most };
    const settings = { ...limits, WORKER_CONCURRENCY: String(places), ...env, GEMINI_API_KEY: "", GEMINI_BASE_URL: "" };
    const own = join(dataDir, `workers-${workers}`);
    const stack = await startStack({ dataDir: own, apis: 1, workers, env: settings, detached: false });
    try {
      const apiKey = await openPayingAccount(stack.databaseUrl);
      const caller = createCaller({ baseUrl: stack.baseUrl, apiKey, clip: body });
      const usage = () => readUsage(stack.processes);
      // The code of every process is compiled first, and the evidence of the clip is found.
      await steadyRate(caller.extract, { inFlight: 8, warmUp: 20, jobs: 10, usage });
      await emulatorControl(String(stack.emulatorUrl)).setFaults([
        { on: "generate", kind: "latency", ms: latencyMs, times: -1 },
      ]);
      const inFlight = workers * places + workers * 2;
      const all = workers * places;
      steps.push({
        workers,
        ...(await steadyRate(caller.extract, { inFlight, warmUp: all, jobs: rounds * all, usage })),
      });
      caller.close();
    } finally {
      await stack.stop();
    }
  }
  return {
    figures: figuresOf(steps),
    conditions: [
      `1 API, ${places} places a worker, a provider that takes ${latencyMs / 1000} s`,
      `${rounds} rounds of all places`,
    ],
    data: steps,
  };
}

/** Returns the figures of each step. The goal applies while the processors are not fully used. */
export function figuresOf(steps: readonly Step[]): Figure[] {
  const one = steps[0]?.jobsPerSecond ?? 0;
  return steps.flatMap(({ workers, jobsPerSecond, busy, cpuSecondsAJob }) => {
    const on = `${workers} ${workers === 1 ? "worker" : "workers"}`;
    const isFull = busy >= goals.full;
    return [
      {
        what: isFull ? `${on} (the processors are full)` : on,
        unit: "jobs/s",
        measured: jobsPerSecond,
        beside: { what: `${workers} × one`, measured: workers * one },
        ...(workers > 1 && !isFull && { goal: { of: "ratio", least: goals.ofLinear } as const }),
      },
      { what: `${on}: processors in use, of ${availableParallelism()}`, unit: "%", measured: 100 * busy },
      { what: `${on}: processor time of the service a job`, unit: "CPU s", measured: cpuSecondsAJob },
    ];
  });
}

type Load = { inFlight: number; warmUp: number; jobs: number; usage(): Usage };

/**
 * Runs jobs with a constant number in flight. Measures from the end of the warm-up jobs to the end of the jobs after
 * them.
 */
async function steadyRate(extract: () => Promise<void>, { inFlight, warmUp, jobs, usage }: Load) {
  let ended = 0;
  const now = () => ({ at: performance.now(), machine: readMachineLoad(), usage: usage() });
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
  const seconds = (last.at - first.at) / 1000;
  const used = usedBetween(first.usage, last.usage);
  return {
    jobsPerSecond: jobs / seconds,
    busy: (last.machine.busy - first.machine.busy) / (last.machine.all - first.machine.all),
    cpuSecondsAJob: ofService(used) / jobs,
  };
}
