import { setTimeout as sleep } from "node:timers/promises";
import type { StackPart } from "@video-to-json/stack";
import { askRedis, emulatorControl } from "@video-to-json/testing/running";
import { wrongByMs } from "../surroundings/clocks.ts";
import type { DiskUse } from "../surroundings/disks.ts";
import { type Sickness, sicknesses } from "../surroundings/machines.ts";
import type { Dependency, Direction, Link } from "../surroundings/network.ts";
import { continueOnExit, processTree } from "../surroundings/processes.ts";
import type { Choice, Fault, FaultPlace, Hit, HitPart, Measure } from "./fault.ts";
import misbehaviours from "./misbehaviours.json" with { type: "json" };

type App = StackPart["app"];
/** Injects a fault and waits until it is over. Resolves to the processes that it hit, if it did not hit a server. */
type Action = (place: FaultPlace, choice: Choice) => Promise<unknown>;
type Recovery = Pick<Fault, "measure" | "goalMs" | "lingersMs">;
type More = Pick<Fault, "needs" | "isFrequent" | "isRepeated">;

/** A row of the table: its name, what it hits and for how many seconds, how the service recovers, its alert, its action. */
function row(
  ...[kind, hits, [from, to], recovery, alert, action, more]: [
    ...[string, Hit, readonly [number, number], Recovery, string, Action],
    More?,
  ]
): Fault {
  const commit: Fault["commit"] = async (place, choice) => {
    const hit = await action(place, choice);
    return Array.isArray(hit) ? hit : [];
  };
  return { kind, hits, lastsMs: [from * 1000, to * 1000], ...recovery, alert, ...more, commit };
}

const within = (seconds: number, measure: Measure, lingersMs?: number): Recovery => {
  return { measure, goalMs: seconds * 1000, ...(lingersMs !== undefined && { lingersMs }) };
};
/** Retries of a job overcome the fault, or the job fails without charge. */
const byRetries: Recovery = {};
const atOnce = [0, 0] as const;
const soon = [0, 4] as const;
// A worker's lock lasts 8 s.
const longerThanLock = [9, 13] as const;
const long = [35, 45] as const;
// A connection to PostgreSQL or Redis that is silent for longer is replaced (packages/database, replaceDeadConnections;
// packages/queue, openRedisConnection).
const lingersMs = 10_000;

const silentPostgres = within(40, "all APIs", lingersMs);
const silentRedis = within(40, "queue", lingersMs);
const overloaded = `HTTP/1.1 503 Slow Down\r
Content-Type: application/xml\r
Connection: close\r
\r
<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>`;

const lastAccount =
  "select from accounts where id = (select account_id from jobs order by created_at desc offset $n limit 1) for update";
const runningJob = "select from jobs where status = 'running' order by created_at desc offset $n limit 1 for update";
const redisRestart: Action = async ({ stack }) => stack.redis?.restart();
const redisAway = away(({ stack }) => stack.redis);
const frozenRedis = frozen(({ stack }) => stack.redis);
const s3Away = away(({ s3 }) => s3);
const frozenS3 = frozen(({ s3 }) => s3?.process);
const frozenEmulator = frozen(({ stack }) => stack.processes.find(({ name }) => name === "emulator"));
const forgotten = within(20, "work", lingersMs);

/** All kinds of faults. docs/chaos-runs.md describes each in words. */
export const allFaults: readonly Fault[] = [
  // A process that dies at any moment is the most important fault.
  row("worker killed", "worker", soon, within(20, "claims"), "ProcessDied", killed("worker"), { isFrequent: true }),
  row("API killed", "api", soon, within(20, "other API"), "ProcessDied", killed("api"), { isFrequent: true }),
  row("worker frozen", "worker", longerThanLock, within(20, "claims"), "ProcessStoodStill", frozenPart("worker")),
  row("API frozen", "api", longerThanLock, within(20, "other API"), "ProcessStoodStill", frozenPart("api")),
  row("workers rolled", "worker", atOnce, within(20, "claims"), "ProcessRestarted", rolled("worker")),
  row("APIs rolled", "api", atOnce, within(20, "other API"), "ProcessRestarted", rolled("api")),
  row("worker clock wrong", "worker", longerThanLock, within(20, "work"), "ClockWrong", clockWrong("worker")),
  row("API clock wrong", "api", longerThanLock, within(20, "work"), "ClockWrong", clockWrong("api")),

  // One worker loses something that the others keep.
  ...sicknesses.flatMap((sickness) =>
    sickness.alert
      ? [row(`one worker: ${sickness.name}`, "worker", [20, 30], within(20, "work"), sickness.alert, sick(sickness))]
      : [],
  ),

  row("Redis restarted", "redis", atOnce, within(20, "queue"), "RedisRestarted", redisRestart),
  row("Redis killed", "redis", soon, within(20, "queue"), "RedisRestarted", redisAway),
  row("Redis emptied", "redis", atOnce, within(20, "queue"), "RedisLostData", ({ stack }) =>
    askRedis(stack.redisUrl, "FLUSHALL"),
  ),
  row("Redis frozen", "redis", longerThanLock, within(20, "queue"), "RedisUnreachable", frozenRedis),
  row("Redis away", "redis", long, within(65, "queue"), "RedisUnreachable", redisAway),
  row("Redis evicts", "redis", [8, 13], within(35, "queue"), "RedisMayEvict", smallRedis("allkeys-lru")),
  row("Redis full", "redis", [8, 13], within(35, "queue"), "RedisFull", smallRedis("noeviction")),
  row("Redis silent", "redis", [10, 20], silentRedis, "RedisUnreachable", silent("redis")),

  row("Postgres restarted", "postgres", atOnce, within(10, "all APIs"), "PostgresRestarted", postgresAway),
  row("Postgres frozen", "postgres", longerThanLock, within(20, "all APIs"), "PostgresUnreachable", frozenPostgres),
  row("Postgres away", "postgres", long, within(65, "all APIs"), "PostgresUnreachable", postgresAway),
  row("Postgres silent", "postgres", [10, 20], silentPostgres, "PostgresUnreachable", silent("postgres")),
  row("COMMIT reply lost", "commit", atOnce, within(20, "work"), "PostgresConnectionsSilent", loseCommitReply),
  row("connections forgotten", "connections", atOnce, forgotten, "PostgresConnectionsSilent", forget),
  row("account locked", "row", [15, 25], within(10, "others"), "PostgresLocked", locked(lastAccount)),
  row("job locked", "row", [15, 25], within(10, "others"), "PostgresLocked", locked(runningJob)),
  row("ledger locked", "postgres", [10, 20], within(40, "all APIs"), "PostgresLocked", lockedTable("ledger")),
  row("jobs locked", "postgres", [10, 20], within(40, "all APIs"), "PostgresLocked", lockedTable("jobs")),
  row("jobs read-only", "postgres", [15, 25], within(45, "all APIs"), "PostgresLocked", lockedTable("jobs", "share")),

  row("storage full", "storage", [9, 15], within(20, "work"), "DiskFull", full("storage"), { needs: "disks" }),
  row("scratch full", "scratch", [9, 15], within(20, "work"), "DiskFull", full("scratch"), { needs: "disks" }),
  row("log full", "log", [9, 15], within(10, "others"), "LogLinesDropped", full("log"), { needs: "disks" }),

  row("S3 killed", "storage", [0, 8], within(30, "work"), "StorageUnavailable", s3Away, { needs: "s3" }),
  row("S3 frozen", "storage", longerThanLock, within(30, "work"), "StorageUnavailable", frozenS3, { needs: "s3" }),
  row("S3 silent", "storage", [10, 20], within(30, "work"), "StorageUnavailable", silent("storage"), { needs: "s3" }),
  row("S3 overloaded", "storage", [8, 13], within(30, "work"), "StorageUnavailable", overloadedS3, { needs: "s3" }),

  misbehaves("provider fails", "ProviderFails"),
  misbehaves("provider hangs", "ProviderSlow"),
  misbehaves("provider lies", "AnswersDoNotConform"),
  row("provider frozen", "provider", longerThanLock, byRetries, "ProviderUnreachable", frozenEmulator, {
    needs: "emulator",
  }),
  row("provider away", "provider", long, byRetries, "ProviderUnreachable", frozenEmulator, { needs: "emulator" }),
  row("provider silent", "provider", [10, 20], byRetries, "ProviderUnreachable", silent("provider")),
];

type Process = Pick<StackPart, "signal">;

function onOne(app: App, act: (parts: StackPart[], place: FaultPlace, choice: Choice) => Promise<unknown>): Action {
  return async (place, choice) => {
    const parts = chosen(
      place.stack.parts.filter((part) => part.app === app),
      choice,
    );
    const hit = parts.map(hitOf);
    await act(parts, place, choice);
    return hit;
  };
}

function chosen<T>(all: readonly T[], { target }: Choice): T[] {
  return all.filter((_, index, { length }) => index === target % length);
}

function hitOf({ name }: { name: string }): HitPart {
  return { name, at: Date.now() };
}

function killed(app: App): Action {
  return onOne(app, async (parts, place, choice) => {
    for (const part of parts) await end(place, part, "SIGKILL");
    await pause(place, choice);
    for (const part of parts) await restart(place, part);
  });
}

function rolled(app: App): Action {
  return async (place) => {
    const hit: HitPart[] = [];
    for (const part of place.stack.parts.filter((each) => each.app === app)) {
      hit.push(hitOf(part));
      await end(place, part, "SIGTERM");
      await restart(place, part);
    }
    return hit;
  };
}

/** Stops a process. Kills it after its time limit, so that the run continues; the audit reports the wrong exit. */
async function end({ stopLimitsMs, onStopping }: FaultPlace, part: StackPart, signal: NodeJS.Signals): Promise<void> {
  onStopping(part, signal);
  const { ended } = part;
  part.signal(signal);
  const late = setTimeout(() => part.signal("SIGKILL"), stopLimitsMs[part.app]);
  await ended;
  clearTimeout(late);
}

/** Starts a process that has ended, and waits until it is ready. It already has its pid, and may fail before. */
async function restart({ onRestarted, signal }: FaultPlace, part: StackPart): Promise<void> {
  signal.throwIfAborted();
  await part.start().finally(() => onRestarted(part));
}

async function pause({ signal }: FaultPlace, { lastsMs }: Choice): Promise<void> {
  await sleep(lastsMs, undefined, { signal });
}

function frozenPart(app: App): Action {
  return onOne(app, (parts, place, choice) => freeze(parts, () => pause(place, choice)));
}

/** Stops processes for the duration of a pause. Their connections stay open and get no response. */
async function freeze(processes: readonly Process[], pausing: () => Promise<void>): Promise<void> {
  try {
    for (const each of processes) each.signal("SIGSTOP");
    await pausing();
  } finally {
    for (const each of processes) each.signal("SIGCONT");
  }
}

function processOf(server: { pid: number } | undefined): Process[] {
  if (!server) return [];
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(server.pid, name);
    } catch (error) {
      // It has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  };
  return [{ signal }];
}

function clockWrong(app: App): Action {
  return onOne(app, (parts, place, choice) => {
    const byMs = choice.seed % 2 === 0 ? wrongByMs : -wrongByMs;
    return duringEach(place, choice, parts, ({ name }) => {
      place.clocks.shift(name, byMs);
      return () => place.clocks.shift(name, 0);
    });
  });
}

function sick({ begin }: Sickness): Action {
  return onOne("worker", async (parts, place, choice) => {
    for (const part of parts) {
      const directory = place.machines.directoryOf(part.name);
      const provider = place.network.links.find((link) => link.part === part.name && link.to === "provider");
      const end = await begin({ directory, part, provider, clocks: place.clocks });
      await during(place, choice, () => end);
    }
  });
}

/** Begins something, waits as long as the fault lasts, and ends it, also when the run is aborted. */
async function during(place: FaultPlace, choice: Choice, begin: () => (() => unknown) | undefined): Promise<void> {
  const over = begin();
  try {
    await pause(place, choice);
  } finally {
    await over?.();
  }
}

function duringEach<T>(place: FaultPlace, choice: Choice, all: readonly T[], begin: (one: T) => () => unknown) {
  return during(place, choice, () => {
    const ends = all.map(begin);
    return () => ends.forEach((end) => void end());
  });
}

type Server = { kill(): Promise<unknown>; restart(): Promise<unknown> };

function away(serverOf: (place: FaultPlace) => Server | undefined): Action {
  return async (place, choice) => {
    await serverOf(place)?.kill();
    await pause(place, choice);
    await serverOf(place)?.restart();
  };
}

function frozen(serverOf: (place: FaultPlace) => { pid: number } | undefined): Action {
  return (place, choice) => freeze(processOf(serverOf(place)), () => pause(place, choice));
}

/** Limits the memory of Redis to the needs of its empty process, so that it evicts or refuses. */
function smallRedis(policy: string): Action {
  return async (place, choice) => {
    const { redisUrl } = place.stack;
    await askRedis(redisUrl, `CONFIG SET maxmemory-policy ${policy} maxmemory 1mb`);
    const enlarge = () => askRedis(redisUrl, "CONFIG SET maxmemory-policy noeviction maxmemory 0");
    await during(place, choice, () => enlarge);
  };
}

/** Stops Postgres in immediate mode, without a checkpoint. It recovers from its log when it starts. */
async function postgresAway(place: FaultPlace, choice: Choice): Promise<void> {
  const { postgres } = place.stack;
  if (postgres?.container) await postgres.kill();
  else if (postgres) process.kill(postgres.pid, "SIGQUIT");
  await pause(place, choice);
  await postgres?.restart();
}

async function frozenPostgres(place: FaultPlace, choice: Choice): Promise<void> {
  // A stopped server starts no more processes, so its children are complete now.
  const { postgres } = place.stack;
  await freeze(processOf(postgres), async () => {
    const children = await processTree(postgres ? [postgres.pid] : []);
    const continueAll = continueOnExit(children);
    const stopped = children.flatMap((pid) => processOf({ pid }));
    await freeze(stopped, () => pause(place, choice)).finally(continueAll);
  });
}

/** Holds a lock that a statement takes, for the duration of the fault, in a separate session. */
function locked(lock: string): Action {
  return async (place, choice) => {
    const locking = place.db.transaction(async (tx) => {
      await tx.execute("set local idle_in_transaction_session_timeout = 0");
      await tx.execute(lock.replace("$n", String(choice.target % 3)));
      await pause(place, choice);
    });
    // Another fault may end the server and thereby the lock.
    await locking.catch(() => place.signal.throwIfAborted());
  };
}

function lockedTable(table: string, mode = "access exclusive"): Action {
  return locked(`lock table ${table} in ${mode} mode`);
}

const directions: readonly Direction[] = ["both", "to-client", "to-server"];

/** Drops all bytes between a server and one process, or all processes. Its connections stay silent for ever. */
function silent(to: Dependency): Action {
  return (place, choice) => {
    const hit = choice.seed % 2 === 0 ? linksTo(place, to) : chosen(linksTo(place, to), choice);
    const direction = directions[choice.seed % 3] ?? "both";
    return duringEach(place, choice, hit, (link) => link.silence(direction));
  };
}

function overloadedS3(place: FaultPlace, choice: Choice): Promise<void> {
  return duringEach(place, choice, linksTo(place, "storage"), (link) => link.answerWith(overloaded));
}

function linksTo({ network }: FaultPlace, to: Dependency): Link[] {
  return network.links.filter((link) => link.to === to);
}

const commitMs = 5000;

async function loseCommitReply(place: FaultPlace, choice: Choice): Promise<void> {
  const [link] = chosen(linksTo(place, "postgres"), choice);
  link?.loseCommitReply();
  for (let waited = 0; link?.awaitsCommit() && waited < commitMs; waited += 100) {
    await sleep(100, undefined, { signal: place.signal });
  }
}

async function forget({ stack, network }: FaultPlace, choice: Choice): Promise<HitPart[]> {
  const parts = chosen(stack.parts, choice);
  const hit = parts.map(hitOf);
  for (const link of network.links) if (parts.some(({ name }) => name === link.part)) link.forget();
  return hit;
}

function full(use: DiskUse): Action {
  return (place, choice) => during(place, choice, () => place.disks?.fill(use));
}

/** Faults in the form of the emulator (packages/testing/emulator/README.md). */
function misbehaves(kind: keyof typeof misbehaviours, alert: string): Fault {
  const action: Action = async ({ stack }, { seed }) => {
    const faults = misbehaviours[kind].map((fault, at) => ({ times: 3, probability: 0.5, seed: seed + at, ...fault }));
    if (stack.emulatorUrl) await emulatorControl(stack.emulatorUrl).setFaults(faults);
  };
  return row(kind, "provider", atOnce, byRetries, alert, action, { needs: "emulator", isRepeated: true });
}
