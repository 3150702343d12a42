import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { startTimeOf } from "./process-group.ts";

const starter = `
import { startRedis } from ${JSON.stringify(join(import.meta.dirname, "../servers/redis.ts"))};
import { removeOnExit } from ${JSON.stringify(join(import.meta.dirname, "watchdog.ts"))};
import { mkdtempSync } from "node:fs";
const directory = mkdtempSync(${JSON.stringify(join(tmpdir(), "video-to-json-watchdog-"))});
removeOnExit([directory]);
console.log(JSON.stringify({ pid: (await startRedis()).pid, directory }));
setInterval(() => {}, 1000);
`;

const watcher = (pid: number) => `
import { stopOnExit } from ${JSON.stringify(join(import.meta.dirname, "watchdog.ts"))};
import { mkdtempSync } from "node:fs";
const directory = mkdtempSync(${JSON.stringify(join(tmpdir(), "video-to-json-watchdog-"))});
stopOnExit({ pid: ${pid}, startTime: "1", signal: "SIGTERM", directory });
console.log(directory);
setInterval(() => {}, 1000);
`;

test("the servers and directories of a process go with it when it is killed", async () => {
  const parent = spawn(process.execPath, ["--input-type=module-typescript", "-e", starter], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(parent.stdout), "line");
  const { pid, directory } = JSON.parse(String(line)) as { pid: number; directory: string };
  expect([startTimeOf(pid) !== undefined, existsSync(directory)]).toEqual([true, true]);
  parent.kill("SIGKILL");
  await expect.poll(() => startTimeOf(pid)).toBeUndefined();
  await expect.poll(() => existsSync(directory)).toBe(false);
});

test("a watchdog does not stop a later process with the pid of the one that it watched", async () => {
  const another = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  onTestFinished(() => void another.kill("SIGKILL"));
  const pid = Number(another.pid);
  const startTime = startTimeOf(pid);
  const parent = spawn(process.execPath, ["--input-type=module-typescript", "-e", watcher(pid)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [directory] = await once(createInterface(parent.stdout), "line");
  parent.kill("SIGKILL");
  await expect.poll(() => existsSync(String(directory))).toBe(false);
  expect([startTimeOf(pid), startTime]).toEqual([startTime, expect.any(String)]);
});
