import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createApiKey } from "@video-to-json/contract";
import { type Database, insertKey, openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import { type Stack, startStack } from "@video-to-json/stack";
import type { Benchmark, Run } from "../benchmark.ts";
import { residentBytes } from "../processes/memory.ts";
import { readProcessorTimes } from "../processes/processor-time.ts";
import type { Figure } from "../report/figure.ts";
import type { Bystander } from "./bystander.ts";
import { type Answer, post } from "./post.ts";

/** Thousands of requests that one API holds, while another account reads its balance. */
export const held: Benchmark = {
  name: "held",
  title: "Held requests",
  how: "5,000 requests of 1,000 accounts that arrive within three seconds and are held, and GET /v1/me of another account meanwhile",
  async measure(run) {
    const result = await measureHeld({ ...run, requests: run.quick ? 200 : 5000 });
    const { requests, ends } = result;
    const ended = Object.entries(ends).map(([end, count]) => `${count.toLocaleString("en")} × ${end}`);
    return {
      figures: figuresOf(result),
      conditions: [
        "1 API, no worker",
        `${requests.toLocaleString("en")} requests`,
        `they end at the deadline: ${ended.join(", ")}`,
      ],
    };
  },
};

const requestsPerAccount = 5;
const arrivalMs = 3_000;
/**
 * How long to wait before the memory of the held requests is read. Some traffic continues, because V8 collects garbage
 * of an idle process late.
 */
const holdMs = 10_000;
const goals = { admittedMs: 15_000, meP99: 250, peakKb: 60, heldKb: 40 } as const;

/** The results of a burst of requests. */
export type HeldResult = {
  requests: number;
  /** The time from the first request to the last admission, in milliseconds; null if not all were admitted. */
  admittedMs: number | null;
  /** The processor time of the API per request until then, in milliseconds, including the other account's requests. */
  cpuMs: number;
  /** The time of `GET /v1/me` of another account before and during the admissions, in milliseconds. */
  quiet: Bystander;
  meanwhile: Bystander;
  /** The peak memory of the API per request, in kilobytes, while the requests are admitted. */
  peakKb: number;
  /** The same while they are only held, and another account continues to read its balance. */
  heldKb: number;
  /** How the requests ended, by status and code. No worker starts their jobs. */
  ends: Record<string, number>;
};

/**
 * Sends requests of many accounts to one API within three seconds, each account with a small sketch of its own and the address
 * of a video,
 * while another account reads its balance. There is no worker, so that the API is measured alone and no job ever starts.
 */
export async function measureHeld({
  dataDir,
  env,
  requests,
  tell,
}: Omit<Run, "quick"> & { requests: number }): Promise<HeldResult> {
  tell("Starting Postgres, Redis and an API …");
  const settings = {
    GEMINI_API_KEY: "nobody asks",
    FETCH_ALLOW_HOSTS: "127.0.0.1:9",
    READS_PER_MINUTE: "1000000",
    JOB_TIMEOUT_SECONDS: "45",
    LOG_LEVEL: "warn",
    ...env,
  };
  const stack = await startStack({ dataDir, apis: 1, workers: 0, env: settings, detached: false });
  const database = openDatabase(stack.databaseUrl, { maxConnections: 4, applicationName: "bench" });
  const agent = new Agent({ keepAlive: true });
  try {
    tell(`Opening ${Math.ceil(requests / requestsPerAccount).toLocaleString("en")} accounts …`);
    const keys = await openAccounts(database, Math.ceil(requests / requestsPerAccount));
    // The first requests load and compile code.
    for (const key of keys.slice(0, 20)) await post(stack.baseUrl, { key, body: { schema: { a: "string" } }, agent });
    const quiet = await watch(stack, 3_000);
    const before = { bytes: residentBytes(apiOf(stack)).now, cpuMs: cpuMsOf(stack) };

    tell(`Sending ${requests.toLocaleString("en")} requests …`);
    const watching = startWatching(stack);
    const startedAt = performance.now();
    const answers: Promise<Answer>[] = [];
    for (let sent = 0; sent < requests; sent++) {
      const due = startedAt + (sent * arrivalMs) / requests;
      if (performance.now() < due) await sleep(due - performance.now());
      const account = sent % keys.length;
      const key = keys[account] ?? "";
      const body = {
        schema: { [`title${account}`]: "string", scenes: [{ at: "timestamp", what: "string" }] },
        video_url,
      };
      answers.push(post(stack.baseUrl, { key, body: { ...body, instructions: `number ${sent}` }, agent }));
    }
    const admittedMs = await untilAdmitted(database, requests, startedAt);
    const meanwhile = await watching.stop();
    const { peak } = residentBytes(apiOf(stack));
    const cpuMs = (cpuMsOf(stack) - before.cpuMs) / requests;
    await watch(stack, holdMs);
    const { now } = residentBytes(apiOf(stack));

    tell("Waiting for the deadline …");
    const ends: Record<string, number> = {};
    for (const answer of answers) {
      const { status, code } = await answer;
      ends[`${status} ${code}`] = (ends[`${status} ${code}`] ?? 0) + 1;
    }
    const perRequest = (bytes: number) => (bytes - before.bytes) / requests / 1000;
    return {
      requests,
      admittedMs,
      cpuMs,
      quiet,
      meanwhile,
      peakKb: perRequest(peak),
      heldKb: perRequest(now),
      ends,
    };
  } finally {
    agent.destroy();
    await database.close();
    await stack.stop();
  }
}

function figuresOf({ admittedMs, cpuMs, quiet, meanwhile, peakKb, heldKb }: HeldResult): Figure[] {
  const limited = (what: string, unit: string, measured: number, most: number): Figure => {
    return { what, unit, measured, goal: { of: "measured", most } };
  };
  return [
    limited("memory a held request", "kB", heldKb, goals.heldKb),
    limited("memory a request at most, while they arrive", "kB", peakKb, goals.peakKb),
    {
      ...limited("GET /v1/me of another account, p99", "ms", meanwhile.p99, goals.meP99),
      beside: { what: "before", measured: quiet.p99 },
    },
    {
      what: "GET /v1/me of another account, p50",
      unit: "ms",
      measured: meanwhile.p50,
      beside: { what: "before", measured: quiet.p50 },
    },
    limited("last request admitted after", "s", (admittedMs ?? Number.NaN) / 1000, goals.admittedMs / 1000),
    { what: "processor time of the API a request", unit: "CPU ms", measured: cpuMs },
  ];
}

const video_url = "http://127.0.0.1:9/clip.mp4";

async function openAccounts({ db }: Database, count: number): Promise<string[]> {
  const open = async (_: unknown, index: number) => {
    const { account } = await openAccount(db, { email: `bench-${index}@example.com`, freeSeconds: 1800 });
    const { key, sha256, display } = createApiKey("v2j");
    await insertKey(db, { accountId: account.id, name: "bench", sha256, display });
    return key;
  };
  return Promise.all(Array.from({ length: count }, open));
}

/**
 * Returns when the last job was admitted, in milliseconds after `startedAt`, to half a second. Null if it takes longer
 * than a minute.
 */
async function untilAdmitted({ db }: Database, requests: number, startedAt: number): Promise<number | null> {
  while (performance.now() - startedAt < 60_000) {
    const [row] = await db.execute("select count(*) as jobs from jobs");
    if (Number(row?.jobs) >= requests) return Math.round(performance.now() - startedAt);
    await sleep(500);
  }
  return null;
}

function startWatching({ baseUrl, apiKey }: Stack): { stop(): Promise<Bystander> } {
  const worker = new Worker(new URL("./bystander.ts", import.meta.url), { workerData: { baseUrl, apiKey } });
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once("message", resolve).once("error", reject);
        worker.postMessage("stop");
      }),
  };
}

async function watch(stack: Stack, ms: number): Promise<Bystander> {
  const watching = startWatching(stack);
  await sleep(ms);
  return watching.stop();
}

/** Returns the processor time of the API in milliseconds. */
function cpuMsOf(stack: Stack): number {
  return 1000 * (readProcessorTimes([apiOf(stack)])[0]?.own ?? 0);
}

function apiOf({ processes }: Stack): number {
  return processes.find(({ name }) => name === "api-1")?.pid ?? 0;
}
