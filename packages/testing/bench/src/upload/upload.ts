import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type Database, openDatabase } from "@video-to-json/database";
import { type Stack, startStack } from "@video-to-json/stack";
import type { Benchmark, Run } from "../benchmark.ts";
import { forgetPeak, residentBytes } from "../processes/memory.ts";
import { readProcessorTimes } from "../processes/processor-time.ts";
import type { Figure } from "../report/figure.ts";
import type { Forms } from "./send-forms.ts";

/** Uploads into the directory of the API, compared with a server that only pipes the same bytes to a file. */
export const upload: Benchmark = {
  name: "upload",
  title: "Upload",
  how: "uploads of 512 MiB into a directory, one and eight at once, in turns with a bare server that pipes the same bytes to a file",
  async measure(run) {
    const { megabytes, figures } = await measureUpload({ ...run, megabytes: run.quick ? 16 : 512 });
    return {
      figures: figures.flatMap(figuresOf),
      conditions: [`${megabytes} MiB each`, `the best of ${rounds} rounds`],
    };
  },
};

function figuresOf({ together, bare, whole, api, peakMb, cpu }: UploadFigures): Figure[] {
  return [
    {
      what: `speed, ${together} at once`,
      unit: "MB/s",
      measured: api,
      beside: { what: "bare server", measured: bare },
      goal: { of: "ratio", least: uploadGoals.ratio },
    },
    {
      what: `speed, ${together} at once, beside a server that hashes and flushes too`,
      unit: "MB/s",
      measured: api,
      beside: { what: "hash and flush", measured: whole },
    },
    {
      what: `processor time for 10⁹ bytes, ${together} at once`,
      unit: "CPU s",
      measured: cpu.api,
      beside: { what: "bare server", measured: cpu.bare },
    },
    {
      what: `resident memory of the API at most, ${together} at once`,
      unit: "MB",
      measured: peakMb,
      goal: { of: "measured", most: uploadGoals.peakMb },
    },
  ];
}

/** The goals of uploads, for any storage. */
export const uploadGoals = { ratio: 0.8, peakMb: 200 } as const;

/** The settings of an API that only admits jobs. */
export const apiSettings = {
  GEMINI_API_KEY: "nobody asks",
  MAX_JOBS_PER_ACCOUNT: "1000",
  EXTRACTIONS_PER_MINUTE: "100000",
  LOG_LEVEL: "warn",
} as const;

const rounds = 3;

/**
 * The speeds of so many concurrent uploads in megabytes (10⁶ bytes) per second, and the peak memory of the API in
 * megabytes. `whole` is the bare server when it also hashes each body and flushes its file. The processor time of each
 * server is in seconds per 10⁹ bytes.
 */
type UploadFigures = {
  together: number;
  bare: number;
  whole: number;
  api: number;
  peakMb: number;
  cpu: { bare: number; whole: number; api: number };
};

/** The figures of uploads of so many MiB each. */
type UploadResult = { megabytes: number; figures: UploadFigures[] };

/**
 * Uploads forms to an API, and the same bytes to a server that only pipes them to a file on the same disk, in turns.
 * That server also gets them again, and then hashes and flushes them, which is the minimum cost of an upload. An upload
 * to the API ends when its job is admitted, because then the video is on the disk. There is no worker. The figures are
 * those of the best of three rounds, because other load of the machine only adds time.
 */
export async function measureUpload({
  dataDir,
  env,
  megabytes,
  tell,
}: Omit<Run, "quick"> & { megabytes: number }): Promise<UploadResult> {
  requireSpace(dataDir, 8 * megabytes);
  tell("Starting Postgres, Redis, an API and a bare server …");
  const settings = { ...apiSettings, ...env };
  const stack = await startStack({ dataDir, apis: 1, workers: 0, env: settings, detached: false });
  const database = openDatabase(stack.databaseUrl, { maxConnections: 1, applicationName: "bench" });
  const bare = await startBareServer(join(dataDir, "bare"));
  try {
    // The first uploads load and compile code.
    for (const path of ["/", "/whole"]) await uploadToBare(bare, { megabytes: 16, together: 8, path });
    await uploadToApi(stack, database, { megabytes: 16, together: 8 });
    const figures: UploadFigures[] = [];
    for (const together of [1, 8]) {
      tell(`Uploading ${together} × ${megabytes} MiB at once …`);
      const bytes = together * megabytes * 1024 ** 2;
      const speeds = { bare: 0, whole: 0, api: 0 };
      const cpu = { bare: Number.POSITIVE_INFINITY, whole: Number.POSITIVE_INFINITY, api: Number.POSITIVE_INFINITY };
      let peakMb = 0;
      for (let round = 0; round < rounds; round++) {
        const api = await uploadToApi(stack, database, { megabytes, together });
        const results = {
          api,
          bare: await uploadToBare(bare, { megabytes, together, path: "/" }),
          whole: await uploadToBare(bare, { megabytes, together, path: "/whole" }),
        };
        for (const what of ["bare", "whole", "api"] as const) {
          speeds[what] = Math.max(speeds[what], bytes / 1000 / results[what].ms);
          cpu[what] = Math.min(cpu[what], results[what].cpuMs / 1000 / (bytes / 1e9));
        }
        peakMb = Math.max(peakMb, api.peakMb);
      }
      figures.push({ together, ...speeds, peakMb, cpu });
    }
    return { megabytes, figures };
  } finally {
    bare.stop();
    await database.close();
    await stack.stop();
  }
}

type Uploads = Pick<Forms, "megabytes" | "together">;
type BareServer = { baseUrl: string; pid: number; directory: string; stop(): void };

/** Throws an error unless a directory has space for so many megabytes, and half as many more. */
export function requireSpace(directory: string, megabytes: number): void {
  const { bavail, bsize } = statfsSync(directory);
  const freeMegabytes = (bavail * bsize) / 1024 ** 2;
  if (freeMegabytes > 1.5 * megabytes) return;
  throw new Error(`The disk has ${Math.floor(freeMegabytes)} MiB free; ${Math.ceil(1.5 * megabytes)} are needed.`);
}

/** Starts a server that only stores bodies: in files of a new directory, unless another script is given. */
export async function startBareServer(
  directory: string,
  script: { url: URL; args: string[]; env?: Record<string, string> } = {
    url: new URL("./bare-server.ts", import.meta.url),
    args: [directory],
  },
): Promise<BareServer> {
  mkdirSync(directory);
  const server = fork(script.url, script.args, { env: { ...process.env, ...script.env } });
  const [port] = (await once(server, "message")) as [number];
  return { baseUrl: `http://127.0.0.1:${port}`, pid: server.pid ?? 0, directory, stop: () => void server.kill() };
}

/** Returns the milliseconds until the bodies are stored, and the processor time used. */
export async function uploadToBare(
  { baseUrl, pid, directory }: BareServer,
  uploads: Uploads & { path: string },
): Promise<{ ms: number; cpuMs: number }> {
  const cpuBefore = processorMs(pid);
  const startedAt = performance.now();
  const statuses = await sendForms({ baseUrl, apiKey: "", ...uploads }).answers;
  const ms = performance.now() - startedAt;
  if (statuses.some((status) => !status.includes(" 200 "))) throw new Error(`The bare server answers ${statuses}.`);
  const cpuMs = processorMs(pid) - cpuBefore;
  empty(directory);
  return { ms, cpuMs };
}

/** Returns the milliseconds until all jobs are admitted, and the peak memory and the processor time of the API. */
export async function uploadToApi(
  stack: Stack,
  { db }: Database,
  uploads: Uploads,
): Promise<{ ms: number; peakMb: number; cpuMs: number }> {
  const count = async () => Number((await db.execute("select count(*) as jobs from jobs"))[0]?.jobs);
  const before = await count();
  const pid = apiOf(stack);
  forgetPeak(pid);
  const cpuBefore = processorMs(pid);
  const startedAt = performance.now();
  const sending = sendForms({ baseUrl: stack.baseUrl, path: "/v1/extract", apiKey: stack.apiKey, ...uploads });
  const answered = sending.answers.then((statuses) => {
    throw new Error(`The API answers ${statuses}.`);
  });
  answered.catch(() => {});
  while ((await count()) < before + uploads.together) await Promise.race([sleep(5), answered]);
  const ms = performance.now() - startedAt;
  const peakMb = residentBytes(pid).peak / 1e6;
  const cpuMs = processorMs(pid) - cpuBefore;
  await sending.stop();
  empty(stack.storageDir);
  return { ms, peakMb, cpuMs };
}

function sendForms(forms: Forms): { answers: Promise<string[]>; stop(): Promise<unknown> } {
  const worker = new Worker(new URL("./send-forms.ts", import.meta.url), { workerData: forms });
  const answers = once(worker, "message").then(([statuses]) => statuses as string[]);
  return { answers, stop: () => worker.terminate() };
}

function empty(directory: string): void {
  for (const name of readdirSync(directory)) rmSync(join(directory, name));
}

/** Returns the processor time of a process in milliseconds. */
function processorMs(pid: number): number {
  return (readProcessorTimes([pid])[0]?.own ?? 0) * 1000;
}

function apiOf({ processes }: Stack): number {
  return processes.find(({ name }) => name === "api-1")?.pid ?? 0;
}
