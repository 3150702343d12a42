import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createApiKey } from "@video-to-json/contract";
import { type Database, insertKey, openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/ledger";
import { type Stack, startStack } from "@video-to-json/stack";
import type { Environment } from "@video-to-json/testing/running";
import type { Bystander } from "./bystander.ts";
import { type Answer, post } from "./post.ts";

const requestsPerAccount = 5;
const arrivalMs = 3_000;
const goals = { admittedMs: 15_000, meP99: 250, peakKb: 60, heldKb: 40 } as const;

/** What became of a burst of requests. */
export type AdmissionResult = {
  requests: number;
  /** How long after the first request the last job was admitted, in milliseconds; null if not all were. */
  admittedMs: number | null;
  /** The processor time of the API for each request until then, in milliseconds, the other account's included. */
  cpuMs: number;
  /** The time of `GET /v1/me` of another account before and during the admissions, in milliseconds. */
  quiet: Bystander;
  meanwhile: Bystander;
  /** The memory of the API for each held request, in kilobytes: at most, and with all admitted and garbage left alone. */
  peakKb: number;
  heldKb: number;
  /** How the requests ended, by status and code. No worker starts their jobs. */
  ends: Record<string, number>;
  good: boolean;
};

type Run = { dataDir: string; env: Environment; requests: number; tell(line: string): void };

/**
 * Sends requests of many accounts to one API within three seconds, each account with a small sketch of its own and the address
 * of a video,
 * while another account reads its balance. There is no worker, so that the API is measured alone and no job ever starts.
 */
export async function measureAdmission({ dataDir, env, requests, tell }: Run): Promise<AdmissionResult> {
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
    const before = { bytes: memoryOf(stack).now, cpuMs: cpuMsOf(stack) };

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
    const { now, peak } = memoryOf(stack);
    const cpuMs = (cpuMsOf(stack) - before.cpuMs) / requests;

    tell("Waiting for the deadline …");
    const ends: Record<string, number> = {};
    for (const answer of answers) {
      const { status, code } = await answer;
      ends[`${status} ${code}`] = (ends[`${status} ${code}`] ?? 0) + 1;
    }
    const perRequest = (bytes: number) => (bytes - before.bytes) / requests / 1000;
    const result = {
      requests,
      admittedMs,
      cpuMs,
      quiet,
      meanwhile,
      peakKb: perRequest(peak),
      heldKb: perRequest(now),
      ends,
    };
    return { ...result, good: isGood(result) };
  } finally {
    agent.destroy();
    await database.close();
    await stack.stop();
  }
}

/** Returns the figures as lines. */
export function admissionTable(result: AdmissionResult): string {
  const { requests, admittedMs, cpuMs, quiet, meanwhile, peakKb, heldKb, ends, good } = result;
  const ms = (times: Bystander) => `p50 ${times.p50} ms, p99 ${times.p99} ms`;
  return [
    `${requests} requests within ${arrivalMs / 1000} s`,
    `admitted    ${admittedMs === null ? "not all" : `after ${(admittedMs / 1000).toFixed(1)} s`}, ${cpuMs.toFixed(1)} ms of processor time each`,
    `GET /v1/me  ${ms(meanwhile)}; before ${ms(quiet)}`,
    `memory      ${peakKb.toFixed(1)} kB a request at most, ${heldKb.toFixed(1)} kB held`,
    `ends        ${Object.entries(ends)
      .map(([end, count]) => `${count} × ${end}`)
      .join(", ")}`,
    "",
    good ? "Every goal is met." : "A goal is NOT met.",
  ].join("\n");
}

const video_url = "http://127.0.0.1:9/clip.mp4";

function isGood({ requests, admittedMs, meanwhile, peakKb, heldKb, ends }: Omit<AdmissionResult, "good">): boolean {
  const isFast = admittedMs !== null && admittedMs <= goals.admittedMs && meanwhile.p99 <= goals.meP99;
  return isFast && peakKb <= goals.peakKb && heldKb <= goals.heldKb && ends["429 too_many_jobs"] === requests;
}

async function openAccounts({ db }: Database, count: number): Promise<string[]> {
  const open = async (_: unknown, index: number) => {
    const { account } = await openAccount(db, { email: `bench-${index}@example.com`, freeSeconds: 1800 });
    const { key, sha256, display } = createApiKey("v2j");
    await insertKey(db, { accountId: account.id, name: "bench", sha256, display });
    return key;
  };
  return Promise.all(Array.from({ length: count }, open));
}

/** Returns when the last job was admitted, to half a second, in milliseconds after `startedAt`, or null if it takes a minute. */
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

/** Returns the processor time of the API in milliseconds. The kernel counts in hundredths of a second. */
function cpuMsOf(stack: Stack): number {
  const fields =
    readFileSync(`/proc/${apiOf(stack)}/stat`, "utf8")
      .split(") ")[1]
      ?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function apiOf({ processes }: Stack): number | undefined {
  return processes.find(({ name }) => name === "api-1")?.pid;
}

/** Returns the resident memory of the API in bytes: now, and at most. */
function memoryOf(stack: Stack): { now: number; peak: number } {
  const status = readFileSync(`/proc/${apiOf(stack)}/status`, "utf8");
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
  return { now: bytes("VmRSS"), peak: bytes("VmHWM") };
}
