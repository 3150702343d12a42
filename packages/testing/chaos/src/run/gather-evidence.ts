import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Evidence } from "../audit/evidence.ts";
import { findLeftovers } from "../audit/findings/find-leftovers.ts";
import { logFaults } from "../audit/findings/find-log-faults.ts";
import { processFaults } from "../audit/findings/find-process-faults.ts";
import { readRecords } from "../audit/records/read-records.ts";
import type { Issued } from "../load/accounts.ts";
import { onSmallDisk, type World } from "./open-world.ts";
import { readEvidence } from "./read-evidence.ts";
import { freeSeconds, jobTimeoutSeconds, serviceSettings } from "./settings.ts";

/** The observations of the run before its service was quiet. */
export type Seen = Pick<Evidence, "calls" | "outages" | "readings" | "fencesSeen"> & { issued: Issued };

/** Reads everything that the audit checks, from a quiet service. */
export async function gatherEvidence(world: World, { issued, ...seen }: Seen): Promise<Evidence> {
  const { db, dataDir, stack, emulator, files, parts, s3 } = world;
  const { accountEmail, apiKey, redisUrl } = stack;
  const emulators = stack.processes.filter(({ name }) => name === "emulator");
  const { generateCounts } = await emulator.state();
  const keyHash = createHash("sha256").update(apiKey).digest("hex");
  const records = await readRecords(db);
  return {
    ...seen,
    records,
    evidenceReadings: await readEvidence({ db, apiUrls: stack.apiUrls }, seen.calls, records),
    granted: new Map([...issued.granted, [accountEmail, freeSeconds]]),
    issuedKeys: new Map([...issued.issuedKeys, [keyHash, { key: apiKey, email: accountEmail }]]),
    running: {
      workers: workersOf(stack),
      places: Number(serviceSettings.WORKER_CONCURRENCY),
    },
    filesUrl: files.url,
    jobSeconds: jobTimeoutSeconds,
    asked: new Map(Object.entries(generateCounts)),
    left: await findLeftovers({ dataDir, redisUrl, emulator, s3 }),
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
export async function findLogFaults(
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
