import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "@video-to-json/database";
import { type Stack, startStack } from "@video-to-json/stack";
import { emulatorControl } from "@video-to-json/testing/running";
import { audit } from "./audit/audit.ts";
import type { Evidence, Violation } from "./audit/evidence.ts";
import { logFaults } from "./audit/find-log-faults.ts";
import { processFaults } from "./audit/find-process-faults.ts";
import { type Plant, plant } from "./audit/plant.ts";
import { readRecords } from "./audit/read-records.ts";
import { type CommittedFault, commitFault } from "./faults/commit-fault.ts";
import { type FaultKind, recoveryGoals } from "./faults/fault-kinds.ts";
import { planFaults } from "./faults/plan-faults.ts";
import { findLeftovers } from "./find-leftovers.ts";
import { keepFailure } from "./keep-failure.ts";
import { type Call, successOf } from "./load/call.ts";
import { serveFiles } from "./load/file-server.ts";
import { type Load, startLoad } from "./load/load.ts";
import { makeVideos } from "./load/videos.ts";
import { findApiOutages } from "./recovery/find-api-outages.ts";
import { type Recovery, recoveries } from "./recovery/measure-recoveries.ts";
import { readClaims } from "./recovery/read-claims.ts";
import { startProbes } from "./recovery/start-probes.ts";
import { watchQueue } from "./recovery/watch-queue.ts";
import { rereadJobs } from "./reread-jobs.ts";
import { waitUntilQuiet } from "./wait-until-quiet.ts";
import { watchParts } from "./watch-parts.ts";

/** How to run a chaos run. */
export type ChaosOptions = {
  /** The directory for all files. Its `logs` remain until the caller removes it. */
  dataDir: string;
  /** The directory for logs, requests and a dump of the database when a promise is broken. */
  keepDir: string;
  seed: number;
  /** How long to inject faults, in seconds. */
  seconds: number;
  /** Requests at once. */
  clients: number;
  apis: number;
  workers: number;
  /** The kinds of faults; by default all. */
  kinds?: readonly FaultKind[];
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
  recoveries: readonly Recovery[];
  calls: readonly Call[];
  accounts: number;
  jobs: number;
  /** The time from the end of the load until the service was quiet, in milliseconds. */
  quietMs: number;
  violations: readonly Violation[];
};

const jobTimeoutSeconds = 60;
const freeSeconds = 1800;
const graceSeconds = 5;
const drainSeconds = 0;
// A worker has its grace period. An API drains twice, and its last requests may take as long as a job.
const stopLimitsMs = {
  worker: (graceSeconds + 10) * 1000,
  api: (2 * drainSeconds + jobTimeoutSeconds + 10) * 1000,
};
// The time limit of a job, plus an upload and a database that is unavailable.
const timeoutMs = (jobTimeoutSeconds + 30) * 1000;
const quietMs = (jobTimeoutSeconds + 120) * 1000;

/**
 * Runs the whole service under load, injects faults, waits until the service is quiet, and audits. Throws when the service
 * cannot run, or `signal` aborts. All processes have ended by then.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosRun> {
  const { dataDir, apis, workers, signal, onStatus } = options;
  await using opened = new AsyncDisposableStack();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  onStatus("making videos");
  const videos = await makeVideos(dataDir);
  const files = await serveFiles(videos);
  opened.defer(() => files.close());
  signal.throwIfAborted();
  onStatus("starting the service");
  const env = { ...settings, FETCH_ALLOW_HOSTS: files.hostPort };
  const stack = await startStack({ dataDir, apis, workers, env, detached: false });
  opened.defer(() => stack.stop());
  const all = (name: NodeJS.Signals) => stack.parts.forEach((part) => void part.signal(name));
  // A frozen process handles no other signal.
  opened.defer(() => all("SIGCONT"));
  // After an interruption nobody needs the graceful shutdown of the processes.
  signal.addEventListener("abort", () => all("SIGKILL"), { once: true });
  const database = openDatabase(stack.databaseUrl, { maxConnections: 2, applicationName: "chaos" });
  opened.defer(() => database.close());
  signal.throwIfAborted();
  return await withLoad(options, { stack, db: database.db, filesUrl: files.url, videos });
}

const settings = {
  JOB_TIMEOUT_SECONDS: String(jobTimeoutSeconds),
  SHUTDOWN_GRACE_SECONDS: String(graceSeconds),
  DRAIN_SECONDS: String(drainSeconds),
  FREE_SECONDS: String(freeSeconds),
  WORKER_CONCURRENCY: "3",
  GLOBAL_CONCURRENCY: "9",
  DATABASE_CONNECTIONS: "5",
  EXTRACTIONS_PER_MINUTE: "1000000",
  READS_PER_MINUTE: "1000000",
  UPLOAD_IDLE_SECONDS: "5",
  ORPHAN_UPLOAD_SECONDS: "20",
};

type World = {
  stack: Stack;
  db: ReturnType<typeof openDatabase>["db"];
  filesUrl: string;
  videos: Awaited<ReturnType<typeof makeVideos>>;
};

async function withLoad(options: ChaosOptions, world: World): Promise<ChaosRun> {
  const { dataDir, keepDir, seed, clients, signal, onStatus } = options;
  const { stack, db, filesUrl } = world;
  const { apiUrls } = stack;
  const watch = watchParts(stack.parts);
  const emulator = emulatorControl(stack.emulatorUrl ?? "");
  await using watchers = new AsyncDisposableStack();
  const probing = startProbes({ apiUrls, key: stack.apiKey });
  watchers.defer(probing.stop);
  const queue = watchQueue({ db, redisUrl: stack.redisUrl });
  watchers.defer(queue.stop);
  const load = await startLoad({ ...world, apiUrls, seed, clients, timeoutMs, signal });
  const faults: CommittedFault[] = [];
  try {
    await commitFaults(options, { stack, watch, load, faults });
  } finally {
    await emulator.setFaults([]).catch(() => {});
    onStatus("the last requests");
    if (signal.aborted) void load.stop().catch(() => {});
    else await load.stop();
  }
  const quiet = await waitUntilQuiet({
    db,
    dataDir,
    emulator,
    maxMs: quietMs,
    signal,
    onStatus: (what) => onStatus(`waiting until the service is quiet: ${what}`),
  });
  await watchers.disposeAsync();

  onStatus("auditing");
  const { calls } = load;
  const readings = await rereadJobs({ apiUrls, filesUrl, timeoutMs }, calls, await readRecords(db));
  if (options.plant) await plant({ db, dataDir, calls }, options.plant, keyedJob(calls));
  const logs = await Promise.all(stack.parts.map(async ({ name }) => ({ name, text: await logOf(dataDir, name) })));
  const emulators = stack.processes.filter(({ name }) => name === "emulator");
  const evidence: Evidence = {
    calls,
    records: await readRecords(db),
    granted: new Map([...load.granted, [stack.accountEmail, freeSeconds]]),
    outages: [...faults, ...findApiOutages(probing.probes)],
    readings,
    left: await findLeftovers({ dataDir, emulator }),
    processFaults: await processFaults({
      running: [...stack.parts, ...emulators],
      leaders: [...watch.pids, ...emulators.map(({ pid }) => pid)],
      wrongExits: watch.wrongExits,
    }),
    logFaults: [
      ...logs.flatMap(({ name, text }) => logFaults(name, text, true)),
      ...logFaults("emulator", await logOf(dataDir, "emulator"), false),
    ],
  };
  const claims = logs.flatMap(({ name, text }) => readClaims(name, text));
  const { jobs } = evidence.records;
  const recovered = recoveries({ faults, claims, jobs, probes: probing.probes, looks: queue.looks });
  const result: ChaosRun = {
    seed,
    seconds: options.seconds,
    faults,
    recoveries: recovered,
    calls,
    accounts: load.accounts.length,
    jobs: jobs.length,
    quietMs: quiet,
    violations: [...audit(evidence), ...recovered.flatMap(tooSlow)],
  };
  if (result.violations.length > 0) {
    const { readings } = evidence;
    await keepFailure({ dataDir, keepDir, databaseUrl: stack.databaseUrl, facts: { ...result, readings, claims } });
  }
  return result;
}

type Committing = { stack: Stack; watch: ReturnType<typeof watchParts>; load: Load; faults: CommittedFault[] };

async function commitFaults(options: ChaosOptions, { stack, watch, load, faults }: Committing): Promise<void> {
  const { seed, seconds, kinds, signal, onStatus } = options;
  const until = Date.now() + seconds * 1000;
  const world = { stack, stopLimitsMs, onStopping: watch.onStopping, onRestarted: watch.onRestarted, signal };
  const show = (what: string) => {
    const left = Math.max(0, Math.round((until - Date.now()) / 1000));
    onStatus(`${left} s left, ${load.calls.length} calls, ${faults.length} faults; ${what}`);
  };
  for (const planned of planFaults(seed, kinds)) {
    show("under load");
    await sleep(Math.min(planned.pauseMs, Math.max(0, until - Date.now())), undefined, { signal });
    if (Date.now() >= until) return;
    show(planned.kind);
    faults.push(await commitFault(world, planned));
  }
}

function tooSlow({ kind, at, ms }: Recovery): Violation[] {
  const goal = recoveryGoals[kind];
  if (goal === undefined || ms <= goal) return [];
  const [took, most] = [ms, goal].map((each) => `${(each / 1000).toFixed(1)} s`);
  return [{ rule: "recovery is quick", what: `${kind} at ${new Date(at).toISOString()}: ${took}, goal ${most}` }];
}

function keyedJob(calls: readonly Call[]): string {
  const keyed = calls.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
  const success = keyed.flatMap(({ attempts }) => attempts.flatMap((attempt) => successOf(attempt) ?? [])).at(-1);
  if (!success)
    throw new Error("No request with an Idempotency-Key succeeded, so that nothing can be planted. Run longer.");
  return (JSON.parse(success.text) as { id: string }).id;
}

function logOf(dataDir: string, name: string): Promise<string> {
  return readFile(join(dataDir, "logs", `${name}.log`), "utf8");
}
