import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import type { Stack, StackPart } from "@video-to-json/stack";
import { type Random, randomFrom, type S3Server } from "@video-to-json/testing/running";
import type { Load } from "../load/load.ts";
import type { World } from "../run/open-world.ts";
import type { ChaosOptions } from "../run/run-chaos.ts";
import { stopLimitsMs } from "../run/settings.ts";
import type { Clocks } from "../surroundings/clocks.ts";
import type { Disks } from "../surroundings/disks.ts";
import type { Link } from "../surroundings/network.ts";

/** The resource that a fault takes away. Concurrent faults hit different ones. */
export type Hit =
  | "worker"
  | "api"
  | "postgres"
  | "redis"
  | "provider"
  | "row"
  | "commit"
  | "storage"
  | "scratch"
  | "log"
  | "connections";

/**
 * The condition under which the service has recovered from a fault:
 * - `claims`: another worker has claimed the last job of a stopped worker again.
 * - `queue`: the queue contains every open job.
 * - `other API`: the other API responds.
 * - `all APIs`: each API answers a request that needs the database, after the fault is over.
 * - `others`: the longest time in which an API did not answer another account during the fault.
 * - `work`: from the end of the fault, a job succeeds.
 */
export type Measure = "claims" | "queue" | "other API" | "all APIs" | "others" | "work";

/** One kind of fault. docs/chaos-runs.md describes each. */
export type Fault = {
  kind: string;
  hits: Hit;
  /** The shortest and the longest time that it lasts, in milliseconds. */
  lastsMs: readonly [number, number];
  measure?: Measure;
  goalMs?: number;
  /** How long connections may stay silent after its end, in milliseconds. */
  lingersMs?: number;
  /** What the run must have for it, in addition to the service. */
  needs?: "disks" | "emulator" | "s3";
  /** The alert that names its cause (infra/prometheus/alerts.yml). */
  alert: string;
  /** Lasts for a number of requests, and so is injected again and again until its alert fires. */
  isRepeated?: boolean;
  /** Occurs twice in a round. */
  isFrequent?: boolean;
  /** Injects it and waits until it is over. Returns the processes that it hit; an empty list if it hit a server. */
  commit(place: FaultPlace, choice: Choice): Promise<HitPart[]>;
};

/** The choices of the seed for one fault: a process, a duration, and more. */
export type Choice = { target: number; lastsMs: number; seed: number };

/** A process that a fault hit, and when (milliseconds since 1970). */
export type HitPart = { name: string; at: number };

/** The run in which faults are injected. */
export type FaultPlace = {
  stack: Pick<Stack, "parts" | "processes" | "postgres" | "redis" | "redisUrl" | "emulatorUrl">;
  db: Db;
  network: { links: readonly Link[] };
  clocks: Pick<Clocks, "shift">;
  /** Where each worker finds what is its own. */
  machines: { directoryOf(name: string): string };
  /** Undefined if disks cannot be mounted. */
  disks: Pick<Disks, "fill"> | undefined;
  /** The server of the bucket. Undefined when storage is a directory. */
  s3: Pick<S3Server, "process" | "kill" | "restart"> | undefined;
  /** The time limit for the graceful shutdown of each app, in milliseconds. */
  stopLimitsMs: Readonly<Record<StackPart["app"], number>>;
  /** Called before a process is stopped on purpose. */
  onStopping(part: StackPart, signal: NodeJS.Signals): void;
  /** Called when a process has started again. */
  onRestarted(part: StackPart): void;
  signal: AbortSignal;
};

/** Returns whether a run has what a fault needs. */
export function isPossible(
  { needs, hits }: Pick<Fault, "needs" | "hits">,
  { disks, stack, s3 }: Pick<FaultPlace, "disks" | "s3"> & { stack: Pick<Stack, "emulatorUrl"> },
): boolean {
  if (needs === "s3") return s3 !== undefined;
  if (needs === "disks") return disks !== undefined && !(hits === "storage" && s3);
  return needs !== "emulator" || stack.emulatorUrl !== undefined;
}

/** A fault that was injected. Times are milliseconds since 1970. */
export type CommittedFault = Pick<Fault, "kind" | "hits" | "measure" | "goalMs" | "lingersMs"> & {
  /** When the fault began. */
  at: number;
  /** The end of the fault, when everything runs again. */
  overAt: number;
  /** The processes that it hit, with times. Empty if it hit a server and so all processes. */
  parts: readonly HitPart[];
};

/** Injects a fault and waits until it is over and everything runs again. Throws when the run is aborted. */
export async function commitFault(place: FaultPlace, { fault, ...choice }: PlannedFault): Promise<CommittedFault> {
  const { commit: _commit, lastsMs: _lastsMs, needs: _needs, isFrequent: _isFrequent, ...own } = fault;
  const at = Date.now();
  const parts = await fault.commit(place, choice);
  return { ...own, at, overAt: Date.now(), parts };
}

/** A fault to inject, with the choices of the seed, and its delay within its group. */
export type PlannedFault = Choice & { fault: Fault; delayMs: number };

/** Faults to inject at once, after a pause. They hit different things. */
export type PlannedGroup = { pauseMs: number; faults: readonly PlannedFault[] };

const secondOdds = 0.4;
const thirdOdds = 0.4;

/** Generates endless rounds: one fault of each kind, two of the frequent ones. Some come alone, some together. */
export function* planFaults(seed: number, faults: readonly Fault[]): Generator<PlannedGroup, never> {
  if (faults.length === 0) throw new Error("None of the faults is possible on this machine.");
  const random = randomFrom(seed);
  for (;;) {
    const rest = random.some([...faults, ...faults.filter(({ isFrequent }) => isFrequent)]);
    while (rest.length > 0) {
      const size = random.chance(secondOdds) ? (random.chance(thirdOdds) ? 3 : 2) : 1;
      yield { pauseMs: random.whole(2000, 5000), faults: takeGroup(rest, size).map((fault) => plan(random, fault)) };
    }
  }
}

function takeGroup(rest: Fault[], size: number): Fault[] {
  const group: Fault[] = [];
  while (group.length < size) {
    const index = rest.findIndex(({ hits }) => group.every((each) => each.hits !== hits));
    if (index < 0) break;
    group.push(...rest.splice(index, 1));
  }
  return group;
}

function plan(random: Random, fault: Fault): PlannedFault {
  return {
    fault,
    delayMs: random.whole(0, 3000),
    target: random.whole(0, 1000),
    lastsMs: random.whole(...fault.lastsMs),
    seed: random.whole(1, 1_000_000),
  };
}

/** Injects faults for the duration of a run, and adds each to `faults` when it is over. */
export async function commitFaults(
  { seed, seconds, signal, onStatus }: ChaosOptions,
  world: World,
  possible: readonly Fault[],
  { load, faults }: { load: Load; faults: CommittedFault[] },
): Promise<void> {
  const until = Date.now() + seconds * 1000;
  const { onStopping, onRestarted } = world.parts;
  const place = { ...world, stopLimitsMs, onStopping, onRestarted, signal };
  const show = (what: string) => {
    const left = Math.max(0, Math.round((until - Date.now()) / 1000));
    onStatus(`${left} s left, ${load.calls.length} calls, ${faults.length} faults; ${what}`);
  };
  const commit = async (planned: PlannedFault, index: number) => {
    if (index > 0) await sleep(planned.delayMs, undefined, { signal });
    faults.push(await commitFault(place, planned));
  };
  for (const group of planFaults(seed, possible)) {
    show("under load");
    await sleep(Math.min(group.pauseMs, Math.max(0, until - Date.now())), undefined, { signal });
    if (Date.now() >= until) return;
    show(group.faults.map(({ fault }) => fault.kind).join(" + "));
    const committed = await Promise.allSettled(group.faults.map(commit));
    for (const each of committed) if (each.status === "rejected") throw each.reason;
  }
}
