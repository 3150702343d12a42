import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobStage } from "@video-to-json/contract";
import { startStack } from "@video-to-json/stack";
import { emulatorControl } from "@video-to-json/testing/running";
import type { Benchmark, Run } from "../benchmark.ts";
import { makeClip } from "../overhead/clip.ts";
import { createCaller } from "../overhead/extract.ts";
import { openPayingAccount } from "../overhead/open-paying-account.ts";
import { ofService, readUsage, serviceParts } from "../processes/usage.ts";
import type { Figure, Measurement } from "../report/figure.ts";
import { measureCommits, readCounters } from "./counters.ts";
import { createMeter, type Phase, type PhaseTimes, phases } from "./meter.ts";

/** The processor time of a job by the stage in which it is used, with one job at a time. */
export const stages: Benchmark = {
  name: "stages",
  title: "Processor time by stage",
  how: "the processor time of all processes in each stage of a job, one job at a time, without what they use at rest",
  measure: measureStages,
};

/** The costs of one job, and of the processes without jobs. */
export type StageData = {
  phases: Record<Phase, PhaseTimes>;
  /** Commands of Redis, and flushes of PostgreSQL's log to the disk, per job. */
  redisCommands: number;
  flushes: number;
  /** The same per second without jobs, and the processor seconds of all processes. One API and one worker. */
  atRest: { redisCommands: number; flushes: number; cpuSeconds: { postgres: number; redis: number } };
  /**
   * How many small transactions per second PostgreSQL commits to this disk, and how long a single one takes, in
   * seconds.
   */
  commitsPerSecond: number;
  commitSeconds: number;
  clipBytes: number;
};

/** How long the provider takes for an answer, in seconds. */
const providerSeconds = 0.2;
const quietMs = 150;

async function measureStages({ dataDir, env, quick, tell }: Run): Promise<Measurement> {
  const jobs = quick ? 5 : 60;
  tell("Starting PostgreSQL, Redis, the emulator, an API and a worker …");
  const limits = { MAX_JOBS_PER_ACCOUNT: "1000000", EXTRACTIONS_PER_MINUTE: "1000000" };
  const settings = { ...limits, ...env, GEMINI_API_KEY: "", GEMINI_BASE_URL: "" };
  const stack = await startStack({ dataDir, apis: 1, workers: 1, env: settings, detached: false });
  try {
    const clip = join(dataDir, "clip.mp4");
    const clipBytes = await makeClip(clip);
    const meter = createMeter(() => readUsage(stack.processes));
    const apiKey = await openPayingAccount(stack.databaseUrl);
    const onEvent = (name: string, data: string) => meter.enter(phaseOf(name, data));
    const caller = createCaller({ baseUrl: stack.baseUrl, apiKey, clip: await readFile(clip), onEvent });
    tell("Warming up …");
    for (let done = 0; done < jobs; done++) await caller.extract();
    const latency = { on: "generate", kind: "latency", ms: 1000 * providerSeconds, times: -1 };
    await emulatorControl(String(stack.emulatorUrl)).setFaults([latency]);
    tell("Watching the processes at rest …");
    const seconds = quick ? 1 : 5;
    const counted = () => readCounters(stack);
    const before = { usage: readUsage(stack.processes), counters: await counted() };
    await sleep(1000 * seconds);
    const after = { usage: readUsage(stack.processes), counters: await counted() };
    const atRest = {
      redisCommands: (after.counters.redisCommands - before.counters.redisCommands) / seconds,
      flushes: (after.counters.flushes - before.counters.flushes) / seconds,
      cpuSeconds: {
        postgres: (after.usage.postgres - before.usage.postgres) / seconds,
        redis: (after.usage.redis - before.usage.redis) / seconds,
      },
    };
    const rest = { before: before.usage, after: after.usage, seconds };
    tell(`Running ${jobs} jobs, one at a time …`);
    const began = { at: performance.now(), counters: await counted() };
    meter.start();
    for (let done = 0; done < jobs; done++) {
      meter.enter("admission");
      await caller.extract();
      meter.enter("afterwards");
      await sleep(quietMs);
    }
    const table = meter.stop({ jobs, rest });
    const ended = { at: performance.now(), counters: await counted() };
    caller.close();
    const elapsed = (ended.at - began.at) / 1000;
    const aJob = (what: "redisCommands" | "flushes") =>
      Math.max(0, ended.counters[what] - began.counters[what] - atRest[what] * elapsed) / jobs;
    tell("Committing small transactions …");
    const commits = await measureCommits(stack.databaseUrl, quick ? 500 : 3000);
    const data: StageData = {
      phases: table,
      redisCommands: aJob("redisCommands"),
      flushes: aJob("flushes"),
      atRest,
      ...commits,
      clipBytes,
    };
    return {
      figures: figuresOf(data),
      conditions: [
        "1 API, 1 worker",
        `${jobs} jobs of ${(clipBytes / 1e6).toFixed(2)} MB, a provider that takes ${providerSeconds} s`,
        "the clock of the kernel has steps of 10 ms: a stage is exact to about 2 ms",
      ],
      data,
    };
  } finally {
    await stack.stop();
  }
}

function figuresOf({ phases: table, redisCommands, flushes, atRest, commitsPerSecond }: StageData): Figure[] {
  const total = (of: (phase: Phase) => number) => phases.reduce((sum, phase) => sum + of(phase), 0);
  const cpu = (what: string, seconds: number): Figure => ({ what, unit: "CPU ms", measured: 1000 * seconds });
  return [
    ...phases.map((phase) => cpu(phaseTitles[phase], ofService(table[phase].cpuSeconds))),
    cpu(
      "all stages",
      total((phase) => ofService(table[phase].cpuSeconds)),
    ),
    ...serviceParts.map((part) =>
      cpu(
        `all stages: ${part}`,
        total((phase) => table[phase].cpuSeconds[part]),
      ),
    ),
    { what: "commands of Redis a job", unit: "", measured: redisCommands },
    { what: "flushes of PostgreSQL a job", unit: "", measured: flushes },
    { what: "commands of Redis a second at rest", unit: "", measured: atRest.redisCommands },
    { what: "flushes of PostgreSQL a second at rest", unit: "", measured: atRest.flushes },
    { what: "small transactions that PostgreSQL commits, 32 at once", unit: "a second", measured: commitsPerSecond },
  ];
}

const phaseTitles = {
  admission: "request, upload and admission",
  queue: "queue and claim",
  obtaining: "obtaining",
  probing: "probing, hold and permit",
  uploading: "uploading",
  analysing: "analysing and validation",
  settling: "settling, clean-up and answer",
  afterwards: "after the answer",
} as const satisfies Record<Phase, string>;

function phaseOf(event: string, data: string): Phase | undefined {
  if (event === "admitted") return "queue";
  if (event !== "progress") return undefined;
  return (JSON.parse(data) as { stage: JobStage }).stage;
}
