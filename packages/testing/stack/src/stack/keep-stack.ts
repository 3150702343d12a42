import { startTimeOf } from "@video-to-json/testing";
import type { StackOptions } from "./stack.ts";
import {
  type RecordedProcess,
  readRecord,
  removeRecord,
  type StackRecord,
  stillRuns,
  writeRecord,
} from "./stack-record.ts";
import { startStack } from "./start-stack.ts";
import { stopKeptStack } from "./stop-kept-stack.ts";

/**
 * Starts a detached stack and records its processes in `dataDir`. If a recorded stack still runs completely, returns
 * that instead. If only parts of it run, stops them first.
 */
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
    stop: _,
    processes: __,
    parts: ___,
    postgres: ____,
    redis: _____,
    ...stack
  } = await starting.catch((error) => {
    removeRecord(options.dataDir);
    throw error;
  });
  const record = { processes, stack };
  writeRecord(options.dataDir, record);
  return { record, wasUp: false };
}
