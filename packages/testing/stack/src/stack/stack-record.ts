import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { containerRuns, startTimeOf } from "@video-to-json/testing";
import type { Stack, StackProcess } from "./stack.ts";

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

/** Removes the record. */
export function removeRecord(dataDir: string): void {
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
