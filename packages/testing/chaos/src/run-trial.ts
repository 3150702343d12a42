import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "@video-to-json/database";
import { type Stack, startStack } from "@video-to-json/stack";
import { emulatorControl } from "@video-to-json/testing/running";
import { audit } from "./audit/audit.ts";
import type { Evidence, Violation } from "./audit/evidence.ts";
import { logFaults } from "./audit/log-faults.ts";
import { type Plant, plant } from "./audit/plant.ts";
import { processFaults } from "./audit/process-faults.ts";
import { readRecords } from "./audit/read-records.ts";
import { type CommittedFault, commitFault } from "./faults/commit-fault.ts";
import { type FaultKind, recoveryGoals } from "./faults/fault-kinds.ts";
import { planFaults } from "./faults/plan-faults.ts";
import { keepFailure } from "./keep-failure.ts";
import { leavings } from "./leavings.ts";
import { type Call, successOf } from "./load/call.ts";
import { serveFiles } from "./load/file-server.ts";
import { type Load, startLoad } from "./load/load.ts";
import { makeVideos } from "./load/videos.ts";
import { readAgain } from "./read-again.ts";
import { readClaims } from "./recovery/read-claims.ts";
import { type Recovery, recoveries } from "./recovery/recoveries.ts";
import { silences } from "./recovery/silences.ts";
import { startProbing } from "./recovery/start-probing.ts";
import { watchQueue } from "./recovery/watch-queue.ts";
import { untilQuiet } from "./until-quiet.ts";
import { watchParts } from "./watch-parts.ts";

/** What a trial is made of. */
export type TrialOptions = {
  /** Where all of it goes; `logs` below it stay until it is removed. */
  dataDir: string;
  /** Where logs, requests and a dump of the database are kept when something was not held. */
  keepDir: string;
  seed: number;
  /** How long faults are committed, in seconds. */
  seconds: number;
  /** Requests at once. */
  clients: number;
  apis: number;
  workers: number;
  /** The kinds of fault; all of them if left out. */
  kinds?: readonly FaultKind[];
  /** Something that the audit must find, done after all is quiet. */
  plant?: Plant | undefined;
  signal: AbortSignal;
  /** Told of where it is, often. */
  tell(what: string): void;
};

/** What came of a trial. */
export type Trial = {
  seed: number;
  seconds: number;
  faults: readonly CommittedFault[];
  recoveries: readonly Recovery[];
  calls: readonly Call[];
  accounts: number;
  jobs: number;
  /** How long it took until all was quiet after the load, in milliseconds. */
  quietMs: number;
  violations: readonly Violation[];
};

const jobTimeoutSeconds = 60;
const freeSeconds = 1800;
const graceSeconds = 5;
const drainSeconds = 0;
// A worker has its grace; an API drains twice, and answers what it holds for as long as a job may take.
const stopLimitsMs = {
  worker: (graceSeconds + 10) * 1000,
  api: (2 * drainSeconds + jobTimeoutSeconds + 10) * 1000,
};
// A job's whole life, and what an upload and a database that is away may add to it.
const patienceMs = (jobTimeoutSeconds + 30) * 1000;
const quietMs = (jobTimeoutSeconds + 120) * 1000;

/**
 * Runs the whole service under load while it commits faults, waits until all is quiet, and audits. Rejects when it
 * cannot be run, or `signal` aborts; whatever it started has ended by then.
 */
export async function runTrial(options: TrialOptions): Promise<Trial> {
  const { dataDir, apis, workers, signal, tell } = options;
  await using opened = new AsyncDisposableStack();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  tell("making videos");
  const videos = await makeVideos(dataDir);
  const files = await serveFiles(videos);
  opened.defer(() => files.close());
  signal.throwIfAborted();
  tell("starting the service");
  const env = { ...settings, FETCH_ALLOW_HOSTS: files.hostPort };
  const stack = await startStack({ dataDir, apis, workers, env, detached: false });
  opened.defer(() => stack.stop());
  const all = (name: NodeJS.Signals) => stack.parts.forEach((part) => void part.signal(name));
  // What is frozen hears no other signal.
  opened.defer(() => all("SIGCONT"));
  // Who interrupts a trial is not to wait for jobs to end in good order.
  signal.addEventListener("abort", () => all("SIGKILL"), { once: true });
  const database = openDatabase(stack.databaseUrl, { maxConnections: 2, applicationName: "trial" });
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

async function withLoad(options: TrialOptions, world: World): Promise<Trial> {
  const { dataDir, keepDir, seed, clients, signal, tell } = options;
  const { stack, db, filesUrl } = world;
  const { apiUrls } = stack;
  const watch = watchParts(stack.parts);
  const emulator = emulatorControl(stack.emulatorUrl ?? "");
  await using watchers = new AsyncDisposableStack();
  const probing = startProbing({ apiUrls, key: stack.apiKey });
  watchers.defer(probing.stop);
  const queue = watchQueue({ db, redisUrl: stack.redisUrl });
  watchers.defer(queue.stop);
  const load = await startLoad({ ...world, apiUrls, seed, clients, patienceMs, signal });
  const faults: CommittedFault[] = [];
  try {
    await commitFaults(options, { stack, watch, load, faults });
  } finally {
    await emulator.setFaults([]).catch(() => {});
    tell("the last requests");
    if (signal.aborted) void load.stop().catch(() => {});
    else await load.stop();
  }
  const quiet = await untilQuiet({
    db,
    dataDir,
    emulator,
    longestMs: quietMs,
    signal,
    tell: (what) => tell(`waiting for quiet: ${what}`),
  });
  await watchers.disposeAsync();

  tell("auditing");
  const { calls } = load;
  const readings = await readAgain({ apiUrls, filesUrl, patienceMs }, calls, await readRecords(db));
  if (options.plant) await plant({ db, dataDir, calls }, options.plant, keyedJob(calls));
  const logs = await Promise.all(stack.parts.map(async ({ name }) => ({ name, text: await logOf(dataDir, name) })));
  const emulators = stack.processes.filter(({ name }) => name === "emulator");
  const evidence: Evidence = {
    calls,
    records: await readRecords(db),
    granted: new Map([...load.granted, [stack.accountEmail, freeSeconds]]),
    troubles: [...faults, ...silences(probing.probes)],
    readings,
    left: await leavings({ dataDir, emulator }),
    processFaults: await processFaults({
      running: [...stack.parts, ...emulators],
      leaders: [...watch.pids, ...emulators.map(({ pid }) => pid)],
      wrongEnds: watch.wrongEnds,
    }),
    logFaults: [
      ...logs.flatMap(({ name, text }) => logFaults(name, text, true)),
      ...logFaults("emulator", await logOf(dataDir, "emulator"), false),
    ],
  };
  const claims = logs.flatMap(({ name, text }) => readClaims(name, text));
  const { jobs } = evidence.records;
  const recovered = recoveries({ faults, claims, jobs, probes: probing.probes, looks: queue.looks });
  const trial: Trial = {
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
  if (trial.violations.length > 0) {
    const { readings } = evidence;
    await keepFailure({ dataDir, keepDir, databaseUrl: stack.databaseUrl, facts: { ...trial, readings, claims } });
  }
  return trial;
}

type Committing = { stack: Stack; watch: ReturnType<typeof watchParts>; load: Load; faults: CommittedFault[] };

async function commitFaults(options: TrialOptions, { stack, watch, load, faults }: Committing): Promise<void> {
  const { seed, seconds, kinds, signal, tell } = options;
  const until = Date.now() + seconds * 1000;
  const world = { stack, stopLimitsMs, willEnd: watch.willEnd, startedAgain: watch.startedAgain, signal };
  const show = (what: string) => {
    const left = Math.max(0, Math.round((until - Date.now()) / 1000));
    tell(`${left} s left, ${load.calls.length} calls, ${faults.length} faults; ${what}`);
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
  if (!success) throw new Error("No request with an Idempotency-Key succeeded: there is nothing to plant into.");
  return (JSON.parse(success.text) as { id: string }).id;
}

function logOf(dataDir: string, name: string): Promise<string> {
  return readFile(join(dataDir, "logs", `${name}.log`), "utf8");
}
