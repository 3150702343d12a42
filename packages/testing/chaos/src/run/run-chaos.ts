import { audit } from "../audit/audit.ts";
import type { Violation } from "../audit/evidence.ts";
import { jobsToPlantIn } from "../audit/plants/jobs-to-plant-in.ts";
import type { Plant } from "../audit/plants/plant.ts";
import { readRecords } from "../audit/records/read-records.ts";
import { allFaults } from "../faults/all-faults.ts";
import type { CommittedFault } from "../faults/commit-fault.ts";
import type { Call } from "../load/call.ts";
import { startLoad } from "../load/load.ts";
import { findApiOutages } from "../recovery/find-api-outages.ts";
import { type Recovery, recoveries } from "../recovery/measure-recoveries.ts";
import { readClaims } from "../recovery/read-claims.ts";
import { startProbes } from "../recovery/start-probes.ts";
import { watchQueue } from "../recovery/watch-queue.ts";
import { commitFaults } from "./commit-faults.ts";
import { gatherEvidence, logOf, workersOf } from "./gather-evidence.ts";
import { isPossible } from "./is-possible.ts";
import { keepFailure } from "./keep-failure.ts";
import { openWorld, type World } from "./open-world.ts";
import { deleteEvidence } from "./read-evidence.ts";
import { rereadJobs } from "./reread-jobs.ts";
import { quietMs, responseMs } from "./settings.ts";
import { waitUntilQuiet } from "./wait-until-quiet.ts";
import { watchFences } from "./watch-fences.ts";

/** How to run a chaos run. */
export type ChaosOptions = {
  /** The directory for all files. Its `logs` remain until the caller removes it. */
  dataDir: string;
  /** The directory for logs, requests and a dump of the database when a promise is broken. */
  keepDir: string;
  seed: number;
  /** How long to inject faults, in seconds. */
  seconds: number;
  /** The number of concurrent requests. */
  clients: number;
  apis: number;
  workers: number;
  /** The kinds of faults; all by default. */
  kinds?: readonly string[];
  /** Whether to mount small disks, for faults that fill them. Needs root and a private mount namespace. */
  mountsDisks?: boolean;
  /** The storage of the uploads; a directory by default. A bucket needs Debian's `python3-swift`. */
  storage?: "directory" | "s3";
  /** A violation to plant before the audit, which must find it. */
  plant?: Plant | undefined;
  signal: AbortSignal;
  /** Called often, with the current step. */
  onStatus(what: string): void;
};

/** The result of a chaos run. */
export type ChaosRun = {
  seed: number;
  seconds: number;
  faults: readonly CommittedFault[];
  /** The kinds of faults that are impossible on this machine. */
  skipped: readonly string[];
  recoveries: readonly Recovery[];
  calls: readonly Call[];
  accounts: number;
  jobs: number;
  /** The time from the end of the load until the service was quiet, in milliseconds. */
  quietMs: number;
  violations: readonly Violation[];
};

/**
 * Runs the whole service under load, injects faults, waits until the service is quiet, and audits. Throws if the
 * service cannot run, or if `signal` aborts. All processes have ended by then.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosRun> {
  await using opened = new AsyncDisposableStack();
  return await withLoad(options, await openWorld(options, opened));
}

async function withLoad(options: ChaosOptions, world: World): Promise<ChaosRun> {
  const { dataDir, keepDir, seed, clients, signal, onStatus } = options;
  const { stack, db, emulator, files, videos } = world;
  const { apiUrls, redisUrl } = stack;
  await using watchers = new AsyncDisposableStack();
  const probing = startProbes({ apiUrls, key: stack.apiKey });
  watchers.defer(probing.stop);
  const queue = watchQueue({ db, redisUrl });
  watchers.defer(queue.stop);
  const fences = watchFences(db);
  watchers.defer(fences.stop);
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
  const quiet = await waitUntilQuiet({
    db,
    dataDir,
    redisUrl,
    emulator,
    s3: world.s3,
    workers: workersOf(stack),
    maxMs: quietMs,
    signal,
    onStatus: (what) => onStatus(`waiting until the service is quiet: ${what}`),
  });
  await watchers.disposeAsync();

  onStatus("auditing");
  const { calls, issued } = load;
  const readings = await rereadJobs(sending, calls, await readRecords(db));
  if (options.plant) {
    const place = { db, dataDir, redisUrl, s3: world.s3, calls, ...jobsToPlantIn(calls, await readRecords(db)) };
    await options.plant.plantIn(place);
  }
  const outages = [...faults, ...findApiOutages(probing.probes)];
  const gathered = await gatherEvidence(world, { calls, issued, readings, outages, fencesSeen: fences.fences });
  const deleted = await deleteEvidence({ db, apiUrls }, calls, gathered.records);
  const evidence = { ...gathered, evidenceReadings: [...gathered.evidenceReadings, ...deleted] };
  const claims = (
    await Promise.all(stack.parts.map(async ({ name }) => readClaims(name, await logOf(dataDir, name))))
  ).flat();
  const { jobs } = evidence.records;
  const recovered = recoveries({ faults, claims, jobs, probes: probing.probes, looks: queue.looks });
  const result: ChaosRun = {
    seed,
    seconds: options.seconds,
    faults,
    skipped: wanted.flatMap((fault) => (possible.includes(fault) ? [] : [fault.kind])),
    recoveries: recovered,
    calls,
    accounts: load.accounts.length,
    jobs: jobs.length,
    quietMs: quiet,
    violations: [...audit(evidence), ...recovered.flatMap(tooSlow)],
  };
  if (result.violations.length > 0) {
    const { readings } = evidence;
    await keepFailure({
      dataDir,
      keepDir,
      databaseUrl: stack.databaseUrl,
      facts: { ...result, readings, claims, looks: queue.looks.filter(({ whole }) => !whole) },
    });
  }
  return result;
}

function tooSlow({ kind, at, ms, goalMs: goal }: Recovery): Violation[] {
  if (goal === undefined || ms <= goal) return [];
  const [took, most] = [ms, goal].map((each) => `${(each / 1000).toFixed(1)} s`);
  return [{ rule: "recovery is quick", what: `${kind} at ${new Date(at).toISOString()}: ${took}, goal ${most}` }];
}
