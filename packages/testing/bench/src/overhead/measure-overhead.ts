import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startStack } from "@video-to-json/stack";
import { type Environment, emulatorControl } from "@video-to-json/testing/running";
import { repeat, summary } from "../latencies.ts";
import { forkScript } from "../processes/fork-script.ts";
import { mapParts, readUsage, type Usage, usedBetween } from "../processes/usage.ts";
import { makeClip } from "./clip.ts";
import { createCaller } from "./extract.ts";
import { type Ffprobe, findFfprobe } from "./find-ffprobe.ts";
import { openPayingAccount } from "./open-paying-account.ts";

/** Jobs with a fixed number in flight: times in milliseconds, throughput, and processor seconds per job by part. */
type Figures = { p50: number; p99: number; jobsPerSecond: number; cpuSeconds: Usage };

/** The figures of the bare script and of the service with the same number of jobs in flight. */
export type Level = { inFlight: number; jobs: number; bare: Figures; service: Figures };

/** The environment of `measureOverhead`, and its figures. */
export type OverheadResult = {
  cores: number;
  workers: number;
  /** Without its path, because the figures are stored in the repository. */
  ffprobe: Omit<Ffprobe, "path">;
  clipBytes: number;
  latencyMs: number;
  /** Processor seconds per second that the service uses without jobs, by part. */
  atRest: Usage;
  levels: Level[];
};

type Run = {
  /** A directory for all files. */
  dataDir: string;
  env: Environment;
  /** How many jobs run first in each, so that its code is compiled. */
  warmUpJobs: number;
  /** How long the service is watched without a job, in milliseconds. */
  restMs: number;
  /** How many workers run, beside one API. */
  workers: number;
  /** How long the provider takes for an answer, in milliseconds. */
  latencyMs: number;
  /** How many jobs are measured at each number in flight; an even number. */
  levels: readonly { inFlight: number; jobs: number }[];
  tell(line: string): void;
};

/**
 * Starts the service and a bare script that does the same work in one process, with the same provider, clip and
 * ffprobe. Measures both, at each number of jobs in flight, in turns: script, service, service, script. So both have
 * the same conditions. Throws when a job fails.
 */
export async function measureOverhead({
  dataDir,
  env,
  warmUpJobs,
  restMs,
  workers,
  latencyMs,
  levels,
  tell,
}: Run): Promise<OverheadResult> {
  tell("Starting Postgres, Redis, the emulator, an API and the workers …");
  const most = String(Math.max(...levels.map(({ inFlight }) => inFlight)));
  const many = "1000000";
  const limits = { MAX_JOBS_PER_ACCOUNT: many, EXTRACTIONS_PER_MINUTE: many, GLOBAL_CONCURRENCY: most };
  const settings = { ...limits, WORKER_CONCURRENCY: most, ...env, GEMINI_API_KEY: "", GEMINI_BASE_URL: "" };
  const stack = await startStack({ dataDir, apis: 1, workers, env: settings, detached: false });
  const stops: (() => void)[] = [];
  try {
    const providerUrl = String(stack.emulatorUrl);
    const { path: ffprobePath, ...ffprobe } = await findFfprobe();
    const clip = join(dataDir, "clip.mp4");
    const clipBytes = await makeClip(clip);
    const args = [providerUrl, ffprobePath, clip];
    const bare = new URL("./bare-script.ts", import.meta.url);
    const script = forkScript<{ jobs: number; inFlight: number }, number[]>(bare, { args });
    stops.push(script.stop);
    const apiKey = await openPayingAccount(stack.databaseUrl);
    const caller = createCaller({ baseUrl: stack.baseUrl, apiKey, clip: await readFile(clip) });
    stops.push(caller.close);
    const runs = {
      bare: (jobs: number, inFlight: number) => script.run({ jobs, inFlight }),
      service: (jobs: number, inFlight: number) => repeat(caller.extract, jobs, inFlight),
    };
    const usage = () => readUsage([...stack.processes, { name: "script", pid: script.pid }]);

    tell("Warming up …");
    for (const run of [runs.bare, runs.service]) await run(warmUpJobs, Math.min(8, warmUpJobs));
    await emulatorControl(providerUrl).setFaults([{ on: "generate", kind: "latency", ms: latencyMs, times: -1 }]);

    const rest = await runHalf(() => sleep(restMs, []), usage);
    const measured: Level[] = [];
    for (const { inFlight, jobs } of levels) {
      tell(`Running ${jobs} jobs each, ${inFlight} in flight …`);
      const halves = { bare: [] as Half[], service: [] as Half[] };
      for (const who of ["bare", "service", "service", "bare"] as const) {
        halves[who].push(await runHalf(() => runs[who](jobs / 2, inFlight), usage));
      }
      measured.push({ inFlight, jobs, bare: figuresOf(halves.bare), service: figuresOf(halves.service) });
    }
    const atRest = mapParts((part) => rest.used[part] / rest.seconds);
    return { cores: availableParallelism(), workers, ffprobe, clipBytes, latencyMs, atRest, levels: measured };
  } finally {
    for (const stop of stops) stop();
    await stack.stop();
  }
}

type Half = { times: number[]; seconds: number; used: Usage };

async function runHalf(run: () => Promise<number[]>, usage: () => Usage): Promise<Half> {
  const before = usage();
  const began = performance.now();
  const times = await run();
  const seconds = (performance.now() - began) / 1000;
  const after = usage();
  return { times, seconds, used: usedBetween(before, after) };
}

function figuresOf(halves: readonly Half[]): Figures {
  const times = halves.flatMap((half) => half.times);
  const sum = (of: (half: Half) => number) => halves.reduce((total, half) => total + of(half), 0);
  return {
    ...summary(times),
    jobsPerSecond: times.length / sum(({ seconds }) => seconds),
    cpuSeconds: mapParts((part) => sum(({ used }) => used[part]) / times.length),
  };
}
