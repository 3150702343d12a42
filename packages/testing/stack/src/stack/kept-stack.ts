import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  containerRuns,
  docker,
  dockerAnswers,
  killGroup,
  removeOnExit,
  removeVolume,
  startTimeOf,
  substituteFor,
} from "@video-to-json/testing";
import type { Stack, StackOptions, StackProcess } from "./stack.ts";
import { startStack } from "./start-stack.ts";

/** Starts and records a detached stack, or returns a recorded one that still runs completely. */
export async function keepStack(
  options: Omit<StackOptions, "detached" | "onStarted">,
): Promise<{ record: Required<StackRecord>; wasUp: boolean }> {
  const recorded = readRecord(options.dataDir);
  if (recorded?.stack && recorded.processes.every(stillRuns))
    return { record: { ...recorded, stack: recorded.stack }, wasUp: true };
  if (recorded) await stopKeptStack(options.dataDir);

  const processes: RecordedProcess[] = [];
  const starting = startStack({
    ...options,
    detached: true,
    // Each is recorded at once, so that an interrupted start can be stopped.
    onStarted(process) {
      processes.push({ ...process, startTime: startTimeOf(process.pid) });
      writeRecord(options.dataDir, { processes });
    },
  });
  const {
    stop,
    processes: _,
    parts,
    postgres,
    redis,
    ...stack
  } = await starting.catch((error) => {
    removeRecord(options.dataDir);
    throw error;
  });
  const record = { processes, stack };
  writeRecord(options.dataDir, record);
  return { record, wasUp: false };
}

const graceMs = 45_000;

/** Stops the recorded processes of a detached stack, and no others. Returns the names of those that were running. */
export async function stopKeptStack(dataDir: string): Promise<string[]> {
  const recorded = readRecord(dataDir)?.processes ?? [];
  const running = recorded.filter(stillRuns);
  // APIs and workers stop first, because they need the other processes to shut down.
  const apps = running.filter(({ readyUrl }) => readyUrl !== undefined);
  const dependencies = running.filter(({ readyUrl }) => readyUrl === undefined);
  await Promise.all(apps.map(end));
  await Promise.all(dependencies.map(end));
  removeRecord(dataDir);
  return running.map(({ name }) => name);
}

async function end(process_: RecordedProcess): Promise<void> {
  if (process_.container !== undefined) {
    await docker(["stop", process_.container]).catch(() => "");
    await docker(["rm", "--force", "--volumes", process_.container]).catch(() => "");
    return;
  }
  signal(process_.pid, process_.name === "postgres" ? "SIGINT" : "SIGTERM");
  const deadline = Date.now() + graceMs;
  while (stillRuns(process_) && Date.now() < deadline) await delay(50);
  if (stillRuns(process_)) signal(process_.pid, "SIGKILL");
  // Its remaining children are in its group.
  killGroup(process_);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** A recorded process. The start time distinguishes it from a later process with the same pid. */
export type RecordedProcess = StackProcess & { startTime: string | undefined };

/** The record of a detached stack: its processes and, once it was ready, the rest. */
export type StackRecord = { processes: RecordedProcess[]; stack?: KeptStack };

/** The parts of a stack that remain after the end of the process that started it. */
type KeptStack = Omit<Stack, "stop" | "processes" | "parts" | "postgres" | "redis">;

/** Reads the record of the stack in `dataDir`. Returns undefined if no stack has written one. */
export function readRecord(dataDir: string): StackRecord | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as StackRecord;
  } catch {
    return undefined;
  }
}

/** Replaces the record. Only the owner can read it: it contains a key. */
export function writeRecord(dataDir: string, record: StackRecord): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = fileIn(dataDir);
  writeFileSync(`${file}.new`, JSON.stringify(record, null, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function removeRecord(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}

/** Returns whether a recorded process still runs. */
export function stillRuns({ pid, startTime, container }: RecordedProcess): boolean {
  if (container !== undefined) return containerRuns(container);
  return startTime !== undefined && startTimeOf(pid) === startTime;
}

function fileIn(dataDir: string): string {
  return join(dataDir, "stack.json");
}

/** Removes all data of the stack with this `dataDir`. The stack must be down. */
export async function removeStackData(dataDir: string): Promise<void> {
  for (const directory of stackDirectories(dataDir)) rmSync(directory, { recursive: true, force: true });
  if (await dockerAnswers()) {
    await Promise.all(["postgres", "redis"].map((name) => removeVolume(join(dataDir, name))));
  }
}

/** Returns each directory that a stack with this `dataDir` may have created. */
export function stackDirectories(dataDir: string): string[] {
  return [dataDir, substituteFor(join(dataDir, "postgres"))];
}

/** Makes a directory for a stack, which its disposal removes, and the end of this process too, even by SIGKILL. */
export function makeStackDirectory(parent: string, prefix: string): AsyncDisposable & { path: string } {
  mkdirSync(parent, { recursive: true });
  const path = mkdtempSync(join(parent, prefix));
  const isRemoved = removeOnExit(stackDirectories(path));
  return {
    path,
    async [Symbol.asyncDispose]() {
      await removeStackData(path);
      isRemoved();
    },
  };
}
