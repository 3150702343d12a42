import { setTimeout as delay } from "node:timers/promises";
import { docker, killGroup } from "@video-to-json/testing";
import { type RecordedProcess, readRecord, removeRecord, stillRuns } from "./stack-record.ts";

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
