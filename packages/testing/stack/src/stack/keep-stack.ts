import { startTimeOf } from "@video-to-json/testing";
import type { StackOptions } from "./stack.ts";
import {
  type NotedProcess,
  readRecord,
  removeRecord,
  type StackRecord,
  stillRuns,
  writeRecord,
} from "./stack-record.ts";
import { startStack } from "./start-stack.ts";
import { stopKeptStack } from "./stop-kept-stack.ts";

/**
 * Starts a stack that lives on, and notes in `dataDir` what it is made of; when the one noted there still runs whole,
 * gives that one. What is left of one that does not is stopped first.
 */
export async function keepStack(
  options: Omit<StackOptions, "detached" | "onStarted">,
): Promise<{ record: Required<StackRecord>; wasUp: boolean }> {
  const noted = readRecord(options.dataDir);
  if (noted?.stack && noted.processes.every(stillRuns))
    return { record: { ...noted, stack: noted.stack }, wasUp: true };
  if (noted) await stopKeptStack(options.dataDir);

  const processes: NotedProcess[] = [];
  const starting = startStack({
    ...options,
    detached: true,
    // Noted one by one, so that a start that is cut off can still be taken down.
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
