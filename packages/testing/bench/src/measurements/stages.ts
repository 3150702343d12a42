import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type JobStage, jobStages } from "@video-to-json/contract";
import { openDatabase } from "@video-to-json/database";
import { askRedis } from "@video-to-json/testing/running";
import type { Benchmark, Run } from "../benchmark.ts";
import { openExtractor } from "../calls.ts";
import { type Figure, figure, type Measurement } from "../figure.ts";
import { mapParts, ofService, readUsage, serviceParts, type Usage, usedBetween } from "../processes.ts";
import { type Service, startService } from "../service.ts";
import { repeat, timed } from "../times.ts";
import { makeClip } from "../videos.ts";

/** The processor time of a job by the stage in which it is used, with one job at a time. */
export const stages: Benchmark = {
  name: "stages",
  title: "Processor time by stage",
  how: "the processor time of all processes in each stage of a job, one job at a time, without what they use at rest",
  measure: measureStages,
};

/** `queue` lasts until the first stage, `afterwards` from the answer until all processes are idle. */
export const phases = ["admission", "queue", ...jobStages, "afterwards"] as const;
type Phase = (typeof phases)[number];

/** The processor seconds of one job in each phase, by part. */
export type StageData = { phases: Record<Phase, { cpuSeconds: Usage }> };

const providerSeconds = 0.2;
const quietMs = 150;

async function measureStages(run: Run): Promise<Measurement> {
  const { quick, tell } = run;
  const jobs = quick ? 5 : 60;
  tell("Starting PostgreSQL, Redis, the emulator, an API and a worker …");
  await using service = await startService(run, { workers: 1 });
  const clip = join(run.dataDir, "clip.mp4");
  const clipBytes = await makeClip(clip);
  const meter = createMeter(() => readUsage(service.processes));
  using extract = await openExtractor(service, clip, (name, data) => meter.enter(phaseOf(name, data)));
  tell("Warming up …");
  for (let done = 0; done < jobs; done++) await extract();
  await service.setLatency(1000 * providerSeconds);

  tell("Watching the processes at rest …");
  const rest = await countWhile(service, () => sleep(quick ? 1000 : 5000));
  tell(`Running ${jobs} jobs, one at a time …`);
  const busy = await countWhile(service, async () => {
    meter.enter("afterwards");
    for (let done = 0; done < jobs; done++) {
      meter.enter("admission");
      await extract();
      meter.enter("afterwards");
      await sleep(quietMs);
    }
    meter.enter("afterwards");
  });
  tell("Committing small transactions …");
  const commits = await commitsPerSecond(service, quick ? 500 : 3000);
  const costs = meter.costs(jobs, (part) => rest.used[part] / rest.seconds);
  const data: StageData = { phases: costs };
  const atRest = (what: "commands" | "flushes") => rest[what] / rest.seconds;
  const aJob = (what: "commands" | "flushes") => Math.max(0, busy[what] - atRest(what) * busy.seconds) / jobs;
  return {
    figures: [
      ...figuresOf(costs),
      figure("commands of Redis a job", "", aJob("commands")),
      figure("flushes of PostgreSQL a job", "", aJob("flushes")),
      figure("commands of Redis a second at rest", "", atRest("commands")),
      figure("flushes of PostgreSQL a second at rest", "", atRest("flushes")),
      figure("small transactions that PostgreSQL commits, 32 at once", "a second", commits),
    ],
    conditions: [
      "1 API, 1 worker",
      `${jobs} jobs of ${(clipBytes / 1e6).toFixed(2)} MB, a provider that takes ${providerSeconds} s`,
      "the clock of the kernel has steps of 10 ms: a stage is exact to about 2 ms",
    ],
    data,
  };
}

function createMeter(read: () => Usage) {
  const used = perPhase(() => ({ seconds: 0, cpuSeconds: mapParts(() => 0) }));
  let last: { phase: Phase; usage: Usage; at: number } | undefined;
  return {
    enter(phase: Phase | undefined): void {
      if (phase === undefined || (!last && phase !== "afterwards")) return;
      const now = { phase, usage: read(), at: performance.now() };
      if (last) {
        const [sum, between] = [used[last.phase], usedBetween(last.usage, now.usage)];
        sum.seconds += (now.at - last.at) / 1000;
        for (const part of Object.keys(between) as (keyof Usage)[]) sum.cpuSeconds[part] += between[part];
      }
      last = now;
    },
    /** Returns the costs of one of so many jobs, without what the processes use in a second at rest. */
    costs: (jobs: number, atRest: (part: keyof Usage) => number) =>
      perPhase((phase) => {
        const { seconds, cpuSeconds } = used[phase];
        return { cpuSeconds: mapParts((part) => Math.max(0, cpuSeconds[part] - atRest(part) * seconds) / jobs) };
      }),
  };
}

function perPhase<T>(value: (phase: Phase) => T): Record<Phase, T> {
  return Object.fromEntries(phases.map((phase) => [phase, value(phase)])) as Record<Phase, T>;
}

function phaseOf(event: string, data: string): Phase | undefined {
  if (event === "admitted") return "queue";
  return event === "progress" ? (JSON.parse(data) as { stage: JobStage }).stage : undefined;
}

/** Counts what some work uses. The counters of PostgreSQL are a second old. */
async function countWhile({ processes, redisUrl, db }: Service, work: () => Promise<unknown>) {
  const read = async () => {
    const stats = await askRedis(redisUrl, "INFO stats");
    const [row] = await db.execute("select wal_sync from pg_stat_wal");
    const commands = Number(/^total_commands_processed:(\d+)/m.exec(stats)?.[1]);
    return { at: performance.now(), usage: readUsage(processes), commands, flushes: Number(row?.wal_sync) };
  };
  const before = await read();
  await work();
  const after = await read();
  return {
    seconds: (after.at - before.at) / 1000,
    used: usedBetween(before.usage, after.usage),
    commands: after.commands - before.commands,
    flushes: after.flushes - before.flushes,
  };
}

async function commitsPerSecond({ databaseUrl }: Service, transactions: number): Promise<number> {
  const database = openDatabase(databaseUrl, { maxConnections: 32, applicationName: "bench" });
  try {
    await database.db.execute("create table bench_commits (n int)");
    const commit = () => database.db.execute("insert into bench_commits values (1)");
    await repeat(commit, 200, 32);
    return (1000 * transactions) / (await timed(() => repeat(commit, transactions, 32)));
  } finally {
    await database.close();
  }
}

const phaseTitles: Readonly<Record<Phase, string>> = {
  admission: "request, upload and admission",
  queue: "queue and claim",
  obtaining: "obtaining",
  probing: "probing, hold and permit",
  uploading: "uploading",
  analysing: "analysing and validation",
  settling: "settling, clean-up and answer",
  afterwards: "after the answer",
};

function figuresOf(costs: StageData["phases"]): Figure[] {
  const cpu = (what: string, seconds: number) => figure(what, "CPU ms", 1000 * seconds);
  const total = (of: (usage: Usage) => number) => phases.reduce((sum, phase) => sum + of(costs[phase].cpuSeconds), 0);
  return [
    ...phases.map((phase) => cpu(phaseTitles[phase], ofService(costs[phase].cpuSeconds))),
    cpu("all stages", total(ofService)),
    ...serviceParts.map((part) =>
      cpu(
        `all stages: ${part}`,
        total((usage) => usage[part]),
      ),
    ),
  ];
}
