import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import type { Evidence, EvidenceReading, Reading } from "../audit/evidence.ts";
import { type JobRecord, jobsIn, type Records, readRecords } from "../audit/records.ts";
import { type Call, type ChaosAccount, type Outcome, successOf } from "../load/call.ts";
import { send } from "../load/send.ts";
import { findLeftovers, logFaults, processFaults } from "./findings.ts";
import { onSmallDisk, type World } from "./open-world.ts";
import { freeSeconds, jobTimeoutSeconds, serviceSettings } from "./settings.ts";

export type Seen = Pick<Evidence, "calls" | "outages" | "readings" | "fencesSeen" | "issued">;

/** Deletes the contents of some jobs, as their accounts may do, and reads everything that the audit checks. */
export async function gatherEvidence(world: World, seen: Seen): Promise<Evidence> {
  const { db, stack, emulator, files, parts, own } = world;
  const { accountEmail, apiKey } = stack;
  const emulators = stack.processes.filter(({ name }) => name === "emulator");
  const { generateCounts } = await emulator.state();
  const { deleted, readings } = await deleteSome(world, seen.calls);
  const records = await readRecords(db);
  const until = Date.now();
  const ownAccount = {
    ...{ email: accountEmail, grantedSeconds: freeSeconds, key: apiKey, keyName: "stack", monthlyMinutes: null },
    ...{ id: own.accountId, keyId: own.keyId },
  };
  return {
    ...seen,
    records,
    deleted,
    span: { from: world.startedAt, until },
    evidenceReadings: [...readings, ...(await readEvidence(world, seen.calls, jobsIn(records)))],
    issued: [...seen.issued, ownAccount],
    running: { workers: workersOf(stack), places: Number(serviceSettings.WORKER_CONCURRENCY) },
    filesUrl: files.url,
    jobSeconds: jobTimeoutSeconds,
    asked: new Map(Object.entries(generateCounts)),
    left: await findLeftovers(world),
    processFaults: await processFaults({
      running: [...stack.parts, ...emulators],
      leaders: [...parts.pids, ...emulators.map(({ pid }) => pid)],
      wrongExits: parts.wrongExits,
    }),
    logFaults: findLogFaults(world, seen.outages),
  };
}

function workersOf({ parts }: World["stack"]): number {
  return parts.filter(({ app }) => app === "worker").length;
}

type Waiting = { maxMs: number; signal: AbortSignal; onStatus(what: string): void };

/** Waits until no job is open or unclean and only running workers count. Returns the time waited, in milliseconds. */
export async function waitUntilQuiet(world: World, { maxMs, onStatus, signal }: Waiting): Promise<number> {
  const startedAt = Date.now();
  for (;;) {
    const open = await count(world.db, "jobs where finished_at is null or cleaned_at is null");
    const seen = "seen_at > clock_timestamp() - interval '15 seconds'";
    const counted = await count(world.db, `workers where app = 'worker' and ${seen}`);
    const left = await findLeftovers(world).catch(() => undefined);
    const waitedMs = Date.now() - startedAt;
    const isQuiet = open === 0 && left?.length === 0 && counted === workersOf(world.stack);
    if (isQuiet || waitedMs > maxMs) return waitedMs;
    onStatus(`${open ?? "?"} jobs open, ${left?.length ?? "?"} leftovers, ${counted ?? "?"} workers counted`);
    await sleep(500, undefined, { signal });
  }
}

/** Returns the number of rows; undefined while the database is unavailable. */
async function count(db: Db, rows: string): Promise<number | undefined> {
  const [row] = await db.execute<{ n: string }>(`select count(*) as n from ${rows}`).catch(() => []);
  return row && Number(row.n);
}

/** Returns the lines of all logs that show a crash. The logs of some processes may have been full in an outage. */
function findLogFaults({ stack, dataDir }: World, outages: Evidence["outages"]): string[] {
  const wasFull = outages.some(({ kind }) => kind === "log full");
  const logs = [
    ...stack.parts.map(({ name }) => ({ name, isJson: true, wasFull: wasFull && onSmallDisk.includes(name) })),
    { name: "emulator", isJson: false },
  ];
  return logs.flatMap((log) => logFaults({ ...log, text: logOf(dataDir, log.name) }));
}

export function logOf(dataDir: string, name: string): string {
  return readFileSync(join(dataDir, "logs", `${name}.log`), "utf8");
}

const maxRead = 40;
const maxDeleted = 3;

async function deleteSome({ stack, db }: World, calls: readonly Call[]) {
  const [asked, others] = readable(calls, jobsIn(await readRecords(db)));
  const deleted = new Map<string, string>();
  const readings: EvidenceReading[] = [];
  for (const { job, owner } of [...asked, ...others].slice(0, maxDeleted)) {
    await ask(`${stack.apiUrls[0]}/v1/jobs/${job.id}`, owner.key, { method: "DELETE" });
    deleted.set(job.id, job.marker);
    readings.push(await read(stack, job.id, owner, "its account after the deletion"));
  }
  return { deleted, readings };
}

/** Reads the evidence of jobs, the newest first, with the keys of their accounts and with the key of another account. */
async function readEvidence({ stack }: World, calls: readonly Call[], jobs: readonly JobRecord[]) {
  const [asked, others] = readable(calls, jobs);
  const readings: EvidenceReading[] = [];
  for (const { job, owner, stranger } of [...asked.slice(0, maxRead), ...others.slice(0, maxRead / 4)]) {
    readings.push(await read(stack, job.id, owner, "its account"));
    readings.push(await read(stack, job.id, stranger, "another account"));
  }
  return readings;
}

/** Returns the jobs with evidence and those without, the newest first, each with its account and another one. */
function readable(calls: readonly Call[], jobs: readonly JobRecord[]) {
  const accounts = new Map(calls.map(({ account }) => [account.id, account]));
  const known = jobs.toReversed().flatMap((job) => {
    const owner = accounts.get(job.accountId);
    const stranger = accounts.values().find(({ id }) => id !== job.accountId);
    return owner && stranger ? [{ job, owner, stranger }] : [];
  });
  const hasEvidence = ({ job }: { job: JobRecord }) => job.status === "succeeded" && job.evidenceText !== null;
  return [known.filter(hasEvidence), known.filter((each) => !hasEvidence(each))] as const;
}

async function read({ apiUrls }: World["stack"], jobId: string, { key }: ChaosAccount, by: EvidenceReading["by"]) {
  const response = await ask(`${apiUrls[0]}/v1/jobs/${jobId}/evidence`, key);
  return { jobId, by, status: response.status, text: await response.text() };
}

type Sending = { apiUrls: readonly string[]; filesUrl: string; timeoutMs: number };

const atOnce = 8;

/** Reads each job whose client got no response, by its id and, when it succeeded, by its Idempotency-Key. */
export async function rereadJobs(sending: Sending, calls: readonly Call[], records: Records): Promise<Reading[]> {
  const callsByMarker = new Map(calls.map((call) => [call.marker, call]));
  const ofKeys = new Set(records.tables.idempotency_keys?.map(({ job_id }) => job_id));
  const lost = jobsIn(records).flatMap(({ id, marker, status, accountId }) => {
    const call = callsByMarker.get(marker);
    const isKnown = call?.attempts.some((attempt) => successOf(attempt)?.text.includes(id));
    if (!call || isKnown || call.account.id !== accountId) return [];
    const hasKey = status === "succeeded" && call.idempotencyKey !== undefined && ofKeys.has(id);
    const ways = hasKey ? (["id", "key"] as const) : (["id"] as const);
    return ways.map((by) => ({ call, jobId: id, by }));
  });
  const readings: Reading[] = [];
  const left = lost.values();
  const reader = async () => {
    for (const one of left) readings.push(await reread(sending, one));
  };
  await Promise.all(Array.from({ length: atOnce }, reader));
  return readings;
}

async function reread({ apiUrls, ...sending }: Sending, lost: Omit<Reading, "attempt">): Promise<Reading> {
  const { call, jobId, by } = lost;
  const apiUrl = apiUrls.at(by === "key" ? 0 : -1) ?? "";
  const startedAt = Date.now();
  const outcome =
    by === "key"
      ? await send(call, { ...sending, apiUrl, drop: undefined, pauseMs: 0 })
      : await readJob(`${apiUrl}/v1/jobs/${jobId}`, call.account.key, sending.timeoutMs).catch((error): Outcome => {
          return { is: "broken", why: String(error) };
        });
  return { ...lost, attempt: { apiUrl, startedAt, endedAt: Date.now(), outcome } };
}

async function readJob(url: string, key: string, timeoutMs: number): Promise<Outcome> {
  const response = await ask(url, key, { signal: AbortSignal.timeout(timeoutMs) });
  const text = await response.text();
  const code = response.ok ? undefined : text.slice(0, 200);
  return { is: "answered", status: response.status, text, code, jobId: url.split("/").at(-1), replayed: false };
}

function ask(url: string, key: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${key}` }, ...init });
}
