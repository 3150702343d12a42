import { setTimeout as delay } from "node:timers/promises";
import { docker, killGroup } from "@video-to-json/testing";
import { type NotedProcess, readRecord, removeRecord, stillRuns } from "./stack-record.ts";

const graceMs = 45_000;

/** Ends the processes that were noted for a kept stack, and no others. Gives the names of those that were running. */
export async function stopKeptStack(dataDir: string): Promise<string[]> {
  const noted = readRecord(dataDir)?.processes ?? [];
  const running = noted.filter(stillRuns);
  // APIs and workers go first: they need the others to finish in good order.
  const apps = running.filter(({ readyUrl }) => readyUrl !== undefined);
  const farEnds = running.filter(({ readyUrl }) => readyUrl === undefined);
  await Promise.all(apps.map(end));
  await Promise.all(farEnds.map(end));
  removeRecord(dataDir);
  return running.map(({ name }) => name);
}

async function end(process_: NotedProcess): Promise<void> {
  if (process_.container !== undefined) {
    await docker(["stop", process_.container]).catch(() => "");
    await docker(["rm", "--force", "--volumes", process_.container]).catch(() => "");
    return;
  }
  signal(process_.pid, process_.name === "postgres" ? "SIGINT" : "SIGTERM");
  const deadline = Date.now() + graceMs;
  while (stillRuns(process_) && Date.now() < deadline) await delay(50);
  if (stillRuns(process_)) signal(process_.pid, "SIGKILL");
  // Whatever it had started and left behind is in its group.
  killGroup(process_);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone.
  }
}
