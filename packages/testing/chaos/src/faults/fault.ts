import type { Db } from "@video-to-json/database";
import type { Stack, StackPart } from "@video-to-json/stack";
import type { S3Server } from "@video-to-json/testing/running";
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
  /** The time limit for its recovery, in milliseconds. */
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
