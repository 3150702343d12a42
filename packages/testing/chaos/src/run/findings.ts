import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import { askRedis, type EmulatorState, type S3Server } from "@video-to-json/testing/running";
import { parsed } from "../audit/records.ts";
import { listProcesses } from "../surroundings/processes.ts";
import { orphanMs } from "./settings.ts";

type Places = {
  db: Db;
  /** Directory with `storage` and `scratch` in it. */
  dataDir: string;
  stack: { redisUrl: string };
  /** The server of the bucket, if storage is one. */
  s3: Pick<S3Server, "contents"> | undefined;
  emulator: { state(): Promise<Pick<EmulatorState, "files" | "bytes" | "openUploads">> };
};

/** How long a worker's test of its disk and its programs may leave a file, with the time to the next clean-up. */
const testMs = 180_000;

/** Returns what is left, one line each. A worker's test, or an upload without a job, is left once it should be gone. */
export async function findLeftovers({ db, dataDir, stack, emulator, s3 }: Places): Promise<string[]> {
  const rows = await db.execute<{ id: string }>("select id from jobs");
  const jobs = new Set(rows.map(({ id }) => id));
  const hasJob = (name: string) => jobs.has(/[0-9a-f-]{36}/.exec(name)?.[0] ?? "");
  const changedMs = (name: string) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.mtimeMs;
  const isOld = (name: string, ms: number) => (changedMs(name) ?? Number.POSITIVE_INFINITY) < Date.now() - ms;
  const old = new Set(await s3?.contents(new Date(Date.now() - orphanMs)));
  const inBucket = ((await s3?.contents()) ?? []).filter((name) => hasJob(name) || old.has(name));
  const stored = readdirSync(join(dataDir, "storage")).filter(
    (name) => hasJob(name) || isOld(`storage/${name}`, orphanMs),
  );
  const scratch = readdirSync(join(dataDir, "scratch")).map((name) => `scratch/${name}`);
  const { files, openUploads } = await emulator.state();
  return [
    ...stored.map((name) => `storage/${name}`),
    ...scratch.filter((name) => !name.startsWith("scratch/test-") || isOld(name, testMs)),
    ...inBucket.map((name) => `bucket/${name}`),
    ...(files + openUploads > 0 ? [`${files} copies and ${openUploads} uploads at the provider`] : []),
    ...(await findRedisLeftovers(stack.redisUrl)),
  ];
}

// The keys of a queue without entries: its settings, its newest events and its counters. Counts of requests expire. A
// mark shows whether Redis has lost its data.
const script = `local kept = {}
  for name in string.gmatch('meta events id limiter marker stalled-check', '%S+') do kept['v2j:extractions:' .. name] = 1 end
  kept['v2j:mark'], kept['v2j:permits:limit'] = 1, 1
  local left = {}
  for _, key in ipairs(redis.call('KEYS', 'v2j:*')) do
    local expires = string.match(key, '^v2j:limit:') and redis.call('PTTL', key) ~= -1
    if not expires and not kept[key] then left[#left + 1] = key end
  end
  return table.concat(left, ' ', 1, math.min(#left, 100))`.replaceAll(/\s+/g, " ");

/** Returns the keys of a quiet service's Redis that belong to no queue without entries, one line each, 100 at most. */
async function findRedisLeftovers(redisUrl: string): Promise<string[]> {
  const [, keys = ""] = (await askRedis(redisUrl, `EVAL "${script}" 0`)).split("\r\n");
  return keys.split(" ").flatMap((key) => (key === "" ? [] : [`Redis: ${key}`]));
}

const crashes = /unhandled[\s-]*(promise[\s-]*)?rejection|uncaught[\s-]*exception|heap out of memory/i;
const warnings = /\(node:\d+\)|\b[A-Z]\w*Warning\b/;

// The start of a line that is not fatal and was cut off because its disk was full.
const torn = /^\{"level":"(?:trace|debug|info|warn|error)",/;
const lineStart = '{"level":';

/** A log: the name of its process, whether its lines are JSON, and whether its disk was full for a time. */
type Log = { name: string; text: string; isJson: boolean; wasFull?: boolean };

/** Returns fatal lines, uncaught errors, warnings of Node and, in a log of JSON, lines that are not JSON. */
export function logFaults({ name, text, isJson, wasFull = false }: Log): string[] {
  const isTorn = (line: string) => wasFull && (torn.test(line) || lineStart.startsWith(line)) && !crashes.test(line);
  const lines = text.split("\n").filter((line) => line.trim() !== "" && isFault(line, isJson) && !isTorn(line));
  return lines.map((line) => `${name}: ${line.slice(0, 300)}`);
}

function isFault(line: string, logsJson: boolean): boolean {
  if (crashes.test(line) || warnings.test(line)) return true;
  if (!logsJson) return false;
  const { level } = (parsed(line) ?? {}) as { level?: unknown };
  return typeof level !== "string" || level === "fatal" || (level === "error" && /uncaught|unhandled/i.test(line));
}

/** The processes that should run, and the pids of all process group leaders of the run. */
type Processes = {
  running: readonly { name: string; pid: number }[];
  leaders: readonly number[];
  wrongExits: readonly string[];
  /** How long a child may take to end, in milliseconds; by default 60,000. */
  timeoutMs?: number;
};

// A child may still write its last bytes when its parent dies or when the client closes the connection. The emulator
// reads all pictures of a question, even if no client waits for the answer.
const endingMs = 60_000;
const everyMs = 500;

/** Returns the faults of the processes of a quiet service: missing, zombie, stopped or orphaned, one line each. */
export async function processFaults(processes: Processes): Promise<string[]> {
  const until = Date.now() + (processes.timeoutMs ?? endingMs);
  for (;;) {
    const faults = await faultsNow(processes);
    if (faults.length === processes.wrongExits.length || Date.now() > until) return faults;
    await sleep(everyMs);
  }
}

async function faultsNow({ running, leaders, wrongExits }: Processes): Promise<string[]> {
  const seen = await listProcesses();
  const byPid = new Map(seen.map((each) => [each.pid, each]));
  const should = new Map(running.map(({ name, pid }) => [pid, name]));
  const gone = running.filter(({ pid }) => !byPid.has(pid) || byPid.get(pid)?.state.startsWith("Z"));
  const stopped = running.filter(({ pid }) => isStopped(byPid.get(pid)?.state));
  // All other leaders have ended. A process with the pid of one is a new process: the kernel reuses a pid only when its
  // group is empty.
  const groups = new Set(leaders.filter((pid) => should.has(pid) || !byPid.has(pid)));
  const children = seen.filter(({ pid, group, parent, state, command }) => {
    // A worker keeps the process that starts its programs.
    const isKept = command === "start-programs" && should.has(parent) && !/^[ZTt]/.test(state);
    return !should.has(pid) && !isKept && (groups.has(group) || should.has(parent));
  });
  return [
    ...wrongExits,
    ...gone.map(({ name, pid }) => `${name} (pid ${pid}) is gone`),
    ...stopped.map(({ name, pid }) => `${name} (pid ${pid}) is stopped`),
    ...children.map(({ pid, parent, state, command }) => {
      const whose = should.get(parent) ?? `pid ${parent}`;
      const how = state.startsWith("Z") ? "a zombie" : isStopped(state) ? "stopped and orphaned" : "orphaned";
      return `${command} (pid ${pid}) is ${how}, a child of ${whose}`;
    }),
  ];
}

function isStopped(state: string | undefined): boolean {
  return /^[Tt]/.test(state ?? "");
}
