import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Evidence, EvidenceReading } from "../audit/evidence.ts";
import { sha256 } from "../audit/facts.ts";
import { type JobRecord, jobsIn, readRecords } from "../audit/records.ts";
import type { Call, ChaosAccount } from "../load/call.ts";
import { findLeftovers, logFaults, processFaults } from "./findings.ts";
import { onSmallDisk, type World } from "./open-world.ts";
import { freeSeconds, jobTimeoutSeconds, serviceSettings } from "./settings.ts";

/** The observations of the run before its service was quiet. */
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
  const ownKey = { key: apiKey, email: accountEmail, name: "stack", monthlyMinutes: null, id: own.keyId };
  return {
    ...seen,
    records,
    deleted,
    span: { from: world.startedAt, until },
    evidenceReadings: [...readings, ...(await readEvidence(world, seen.calls, jobsIn(records)))],
    issued: {
      granted: new Map([...seen.issued.granted, [accountEmail, freeSeconds]]),
      ids: new Map([...seen.issued.ids, [accountEmail, own.accountId]]),
      keys: new Map([...seen.issued.keys, [sha256(apiKey), ownKey]]),
    },
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
    logFaults: await findLogFaults(world, seen.outages),
  };
}

/** Returns how many workers run in a quiet service. */
export function workersOf({ parts }: World["stack"]): number {
  return parts.filter(({ app }) => app === "worker").length;
}

/** Returns the lines of all logs that show a crash. The logs of some processes may have been full in an outage. */
async function findLogFaults(
  { stack, dataDir }: Pick<World, "stack" | "dataDir">,
  outages: Evidence["outages"],
): Promise<string[]> {
  const wasFull = outages.some(({ kind }) => kind === "log full");
  const logs = [
    ...stack.parts.map(({ name }) => ({ name, isJson: true, wasFull: wasFull && onSmallDisk.includes(name) })),
    { name: "emulator", isJson: false },
  ];
  const faults = logs.map(async (log) => logFaults({ ...log, text: await logOf(dataDir, log.name) }));
  return (await Promise.all(faults)).flat();
}

/** Returns the log of a process. */
export function logOf(dataDir: string, name: string): Promise<string> {
  return readFile(join(dataDir, "logs", `${name}.log`), "utf8");
}

const maxRead = 40;
const maxDeleted = 3;

type Reading = { id: string; owner: ChaosAccount; stranger: ChaosAccount; hasEvidence: boolean };

/** Deletes some jobs, with evidence if there are such, and reads their evidence again. */
async function deleteSome({ stack, db }: World, calls: readonly Call[]) {
  const jobs = jobsIn(await readRecords(db));
  const known = readable(calls, jobs).toSorted((a, b) => Number(b.hasEvidence) - Number(a.hasEvidence));
  const deleted = new Map<string, string>();
  const readings: EvidenceReading[] = [];
  for (const { id, owner } of known.slice(0, maxDeleted)) {
    const headers = { authorization: `Bearer ${owner.key}` };
    await fetch(`${stack.apiUrls[0]}/v1/jobs/${id}`, { method: "DELETE", headers });
    deleted.set(id, jobs.find((job) => job.id === id)?.marker ?? "");
    readings.push(await read(stack, id, owner, "its account after the deletion"));
  }
  return { deleted, readings };
}

/** Reads the evidence of jobs, the newest first, with the keys of their accounts and with the key of another account. */
async function readEvidence({ stack }: World, calls: readonly Call[], jobs: readonly JobRecord[]) {
  const known = readable(calls, jobs);
  const [asked, others] = [known.filter(({ hasEvidence }) => hasEvidence), known.filter((job) => !job.hasEvidence)];
  const readings: EvidenceReading[] = [];
  for (const { id, owner, stranger } of [...asked.slice(0, maxRead), ...others.slice(0, maxRead / 4)]) {
    readings.push(await read(stack, id, owner, "its account"), await read(stack, id, stranger, "another account"));
  }
  return readings;
}

function readable(calls: readonly Call[], jobs: readonly JobRecord[]): Reading[] {
  const accounts = new Map(calls.map(({ account }) => [account.id, account]));
  return jobs.toReversed().flatMap(({ id, accountId, status, evidenceText }) => {
    const owner = accounts.get(accountId);
    const stranger = accounts.values().find((account) => account.id !== accountId);
    const hasEvidence = status === "succeeded" && evidenceText !== null;
    return owner && stranger ? [{ id, owner, stranger, hasEvidence }] : [];
  });
}

async function read(
  { apiUrls }: World["stack"],
  jobId: string,
  { key }: ChaosAccount,
  by: EvidenceReading["by"],
): Promise<EvidenceReading> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${apiUrls[0]}/v1/jobs/${jobId}/evidence`, { headers });
  return { jobId, by, status: response.status, text: await response.text() };
}
