import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "@video-to-json/database";
import { type Stack, startStack } from "@video-to-json/stack";
import { emulatorControl } from "@video-to-json/testing/running";
import type { Run } from "../../benchmark.ts";
import { makeClip } from "../../overhead/clip.ts";
import { createCaller } from "../../overhead/extract.ts";
import { openPayingAccount } from "../../overhead/open-paying-account.ts";
import { randomFrom } from "../random.ts";
import type { ServiceTimes } from "../service-times.ts";
import { simulate } from "../simulate.ts";
import type { Service } from "../stations.ts";
import { type ComingJob, jobsOf, type Workload } from "../workload.ts";
import { allowedDifference, type Comparison, compareRuns, type RunTimes } from "./compare.ts";

/** The inputs of a check. */
export type CheckSize = {
  workers: number;
  places: number;
  workload: Workload;
};

type Check = Pick<Run, "dataDir" | "env" | "tell"> & { times: ServiceTimes; size: CheckSize; seed: number };

/**
 * Sends the jobs of a workload to a running service, at their times and from their tenants, and simulates the same
 * jobs. In both, the provider takes the same times, in the order of its questions.
 */
export async function checkSimulation({ dataDir, env, tell, times, size, seed }: Check): Promise<Comparison> {
  const jobs = jobsOf(size.workload, randomFrom(seed));
  const measured = await measureRun({ dataDir, env, tell, size, jobs });
  tell("Simulating the same jobs …");
  const rows = compareRuns(measured, simulateRun(times, size, jobs));
  const good = rows.every(({ difference }) => Math.abs(difference) <= allowedDifference);
  const { workers, places, workload } = size;
  const ranAt = new Date().toISOString();
  return { ranAt, jobs: jobs.length, places: workers * places, tenants: workload.tenants, rows, good };
}

function simulateRun(times: ServiceTimes, { workers, places }: CheckSize, coming: readonly ComingJob[]): RunTimes {
  const service: Service = {
    ...{ apis: 1, workers, places, redis: 1, postgres: 1, storage: 1, providerProjects: 1, postgresCores: 4 },
    ...{ storageBytesPerSecond: 1e9, providerCopies: 1e6, providerRequestsPerMinute: 1e6 },
  };
  const traffic = { videoBytes: 1e6, passes: 3 };
  const { jobs } = simulate({ service, times, traffic, jobs: coming, end: Number.MAX_SAFE_INTEGER });
  return {
    waits: jobs.map(({ startedAt, admittedAt }) => startedAt - admittedAt),
    totals: jobs.map(({ at, answeredAt }) => answeredAt - at),
    wholeSeconds: Math.max(...jobs.map(({ answeredAt }) => answeredAt)) - (coming[0]?.at ?? 0),
  };
}

type Measured = Pick<Run, "dataDir" | "env" | "tell"> & { size: CheckSize; jobs: readonly ComingJob[] };

async function measureRun({ dataDir, env, tell, size, jobs }: Measured): Promise<RunTimes> {
  const { workers, places } = size;
  tell("Starting PostgreSQL, Redis, the emulator, an API and the workers …");
  const limits = { MAX_JOBS_PER_ACCOUNT: "1000000", EXTRACTIONS_PER_MINUTE: "1000000" };
  const permits = { GLOBAL_CONCURRENCY: String(workers * places), WORKER_CONCURRENCY: String(places) };
  const settings = { ...limits, ...permits, ...env, GEMINI_API_KEY: "", GEMINI_BASE_URL: "" };
  const stack = await startStack({ dataDir, apis: 1, workers, env: settings, detached: false });
  try {
    const clip = join(dataDir, "clip.mp4");
    await makeClip(clip);
    const callers = await openCallers(stack, await readFile(clip), jobs);
    tell("Warming up …");
    const [first] = callers.values();
    await Promise.all(
      Array.from({ length: 3 }, () => Promise.all(Array.from({ length: workers }, () => first?.extract()))),
    );
    // The n-th question takes the time of the n-th job, in both runs.
    const latencies = jobs.map(({ providerSeconds }, after) => {
      return { on: "generate", kind: "latency", ms: Math.round(1000 * providerSeconds), after };
    });
    await emulatorControl(String(stack.emulatorUrl)).setFaults(latencies);
    tell(`Sending ${jobs.length} jobs within ${Math.round(jobs.at(-1)?.at ?? 0)} s …`);
    const since = new Date();
    const totals: number[] = [];
    const startedAt = performance.now();
    await Promise.all(
      jobs.map(async ({ at, account }) => {
        await sleep(1000 * at - (performance.now() - startedAt));
        const sentAt = performance.now();
        await callers.get(account)?.extract();
        totals.push((performance.now() - sentAt) / 1000);
      }),
    );
    const wholeSeconds = (performance.now() - startedAt) / 1000 - (jobs[0]?.at ?? 0);
    for (const caller of callers.values()) caller.close();
    return { waits: await waitsSince(stack, since), totals, wholeSeconds };
  } finally {
    await stack.stop();
  }
}

async function openCallers({ databaseUrl, baseUrl }: Stack, clip: Buffer, jobs: readonly ComingJob[]) {
  const accounts = [...new Set(jobs.map(({ account }) => account))];
  const callers = new Map<string, ReturnType<typeof createCaller>>();
  for (const account of accounts) {
    const apiKey = await openPayingAccount(databaseUrl, `${account.replaceAll(" ", "-")}@example.com`);
    callers.set(account, createCaller({ baseUrl, apiKey, clip }));
  }
  return callers;
}

/** Returns how long the jobs admitted since a time waited for a place, in seconds. */
async function waitsSince({ databaseUrl }: Stack, since: Date): Promise<number[]> {
  const database = openDatabase(databaseUrl, { maxConnections: 1, applicationName: "bench" });
  try {
    const rows = await database.db.execute(`
      select extract(epoch from started_at - created_at) as seconds from jobs
      where created_at >= '${since.toISOString()}'::timestamptz`);
    return rows.map(({ seconds }) => Number(seconds));
  } finally {
    await database.close();
  }
}
