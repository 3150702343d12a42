import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { containerRuns, startTimeOf } from "@video-to-json/testing";
import type { Stack, StackProcess } from "./stack.ts";

/** A process that was noted, with what tells it from a later one of the same pid. */
export type NotedProcess = StackProcess & { startTime: string | undefined };

/** What is known of a detached stack: its processes, and the rest once it was ready. */
export type StackRecord = { processes: NotedProcess[]; stack?: KeptStack };

/** What of a stack outlives the process that started it. */
type KeptStack = Omit<Stack, "stop" | "processes" | "parts" | "postgres" | "redis">;

/** The record of the stack in `dataDir`; undefined when none was started there since the last was stopped. */
export function readRecord(dataDir: string): StackRecord | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as StackRecord;
  } catch {
    return undefined;
  }
}

/** Replaces the record; it holds a key, so that only its owner may read it. */
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

/** Whether a noted process still runs, and is the one that was noted. */
export function stillRuns({ pid, startTime, container }: NotedProcess): boolean {
  if (container !== undefined) return containerRuns(container);
  return startTime !== undefined && startTimeOf(pid) === startTime;
}

function fileIn(dataDir: string): string {
  return join(dataDir, "stack.json");
}
