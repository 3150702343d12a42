import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { audit } from "../audit/audit.ts";
import type { Violation } from "../audit/evidence.ts";
import { type Plant, plantInEachColumn } from "../audit/plants.ts";
import { jobsIn, readRecords } from "../audit/records.ts";
import { allFaults } from "../faults/all-faults.ts";
import { type CommittedFault, commitFaults, isPossible } from "../faults/fault.ts";
import { startLoad } from "../load/load.ts";
import { type Recovery, recoveries } from "../recovery/recoveries.ts";
import { findApiOutages, readClaims, watchService } from "../recovery/watch.ts";
import { gatherEvidence, logOf, rereadJobs, waitUntilQuiet } from "./gather-evidence.ts";
import { openWorld, type WorldOptions } from "./open-world.ts";
import { quietMs, responseMs } from "./settings.ts";

export type ChaosOptions = WorldOptions & {
  /** The directory for logs, requests and a dump of the database when a promise is broken. */
  keepDir: string;
  seed: number;
  seconds: number;
  clients: number;
  kinds?: readonly string[] | undefined;
  /** Whether to change each column of the records after the audit, which must find each change. */
  plants?: boolean;
};

/** Injects faults under load, and audits the quiet service. Throws if it cannot run, or if `signal` aborts. */
export async function runChaos(options: ChaosOptions) {
  const { dataDir, keepDir, seed, clients, signal, onStatus } = options;
  await using opened = new AsyncDisposableStack();
  const world = await openWorld(options, opened);
  const { stack, db, emulator, files, videos } = world;
  const { apiUrls, redisUrl } = stack;
  const watch = watchService({ db, redisUrl, apiUrls, key: stack.apiKey });
  opened.defer(watch.stop);
  const sending = { apiUrls, filesUrl: files.url, timeoutMs: responseMs };
  const load = await startLoad({ ...sending, db, videos, seed, clients, signal });
  const faults: CommittedFault[] = [];
  const wanted = allFaults.filter(({ kind }) => options.kinds?.includes(kind) ?? true);
  const possible = wanted.filter((fault) => isPossible(fault, world));
  try {
    await commitFaults(options, world, possible, { load, faults });
  } finally {
    await emulator.setFaults([]).catch(() => {});
    onStatus("the last requests");
    if (signal.aborted) void load.stop().catch(() => {});
    else await load.stop();
  }
  const quiet = await waitUntilQuiet(world, {
    maxMs: quietMs,
    signal,
    onStatus: (what) => onStatus(`waiting until the service is quiet: ${what}`),
  });
  await watch.stop();
  await watch.readFences();

  onStatus("auditing");
  const { calls, issued } = load;
  const readings = await rereadJobs(sending, calls, await readRecords(db));
  const outages = [...faults, ...findApiOutages(watch.probes)];
  const evidence = await gatherEvidence(world, { calls, issued, readings, outages, fencesSeen: watch.fences });
  const claims = stack.parts.flatMap(({ name }) => readClaims(name, logOf(dataDir, name)));
  const jobs = jobsIn(evidence.records);
  const recovered = recoveries({ faults, claims, jobs, probes: watch.probes, looks: watch.looks });
  const plants = options.plants ? plantInEachColumn(evidence, seed) : [];
  const committed = new Set(faults.map(({ kind }) => kind));
  const result = {
    seed,
    seconds: options.seconds,
    faults,
    /** The kinds of faults that are impossible on this machine. */
    skipped: wanted.flatMap((fault) => (possible.includes(fault) ? [] : [fault.kind])),
    /** The possible kinds of faults for which the time was too short. */
    leftOut: possible.flatMap(({ kind }) => (committed.has(kind) ? [] : [kind])),
    recoveries: recovered,
    calls,
    accounts: issued.length,
    jobs: jobs.length,
    /** The time from the end of the load until the service was quiet, in milliseconds. */
    quietMs: quiet,
    violations: [...audit(evidence), ...recovered.flatMap(tooSlow), ...plants.flatMap(missed)],
    plants,
  };
  if (result.violations.length > 0) {
    const looks = watch.looks.filter(({ whole }) => !whole);
    const facts = { ...result, readings: evidence.readings, claims, looks };
    await keepFailure({ dataDir, keepDir, databaseUrl: stack.databaseUrl, facts });
  }
  return result;
}

export type ChaosRun = Awaited<ReturnType<typeof runChaos>>;

function missed({ column, was, is, found, free }: Plant): Violation[] {
  if (found || free !== undefined) return [];
  return [{ rule: "every column is audited", what: `the audit missed ${column} ${is} instead of ${was}` }];
}

function tooSlow({ kind, at, ms, goalMs: goal }: Recovery): Violation[] {
  if (goal === undefined || ms <= goal) return [];
  const [took, most] = [ms, goal].map((each) => `${(each / 1000).toFixed(1)} s`);
  return [{ rule: "recovery is quick", what: `${kind} at ${new Date(at).toISOString()}: ${took}, goal ${most}` }];
}

type Failure = { dataDir: string; keepDir: string; databaseUrl: string; facts: object };

async function keepFailure({ dataDir, keepDir, databaseUrl, facts }: Failure): Promise<void> {
  mkdirSync(join(keepDir, "logs"), { recursive: true, mode: 0o700 });
  // Some logs are links to a disk that is unmounted later, so they are copied as files.
  for (const name of readdirSync(join(dataDir, "logs"))) {
    copyFileSync(join(dataDir, "logs", name), join(keepDir, "logs", name));
  }
  writeFileSync(
    join(keepDir, "run.json"),
    JSON.stringify(facts, (name, value) => (name === "bytes" ? undefined : value), 2),
  );
  const args = ["--inserts", "--no-owner", "--file", join(keepDir, "database.sql"), databaseUrl];
  await promisify(execFile)("pg_dump", args).catch((error: Error) => {
    writeFileSync(join(keepDir, "database.sql"), `-- no dump: ${error.message}\n`);
  });
}
