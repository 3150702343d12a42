import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTimeOf } from "@video-to-json/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readRecord, stopKeptStack, writeRecord } from "./kept-stack.ts";

let dataDir: string;
let child: ChildProcess;
let pid: number;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "video-to-json-kept-"));
  child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  await once(child, "spawn");
  pid = Number(child.pid);
});
afterEach(() => {
  child.kill("SIGKILL");
  rmSync(dataDir, { recursive: true, force: true });
});

test("a recorded process is stopped, and the record is removed", async () => {
  writeRecord(dataDir, { processes: [{ name: "worker-1", pid, startTime: startTimeOf(pid) }] });
  const ended = once(child, "exit");
  expect(await stopKeptStack(dataDir)).toEqual(["worker-1"]);
  expect(await ended).toEqual([null, "SIGTERM"]);
  expect(readRecord(dataDir)).toBeUndefined();
});

test("another process that has the pid of a recorded one is not stopped", async () => {
  writeRecord(dataDir, { processes: [{ name: "worker-1", pid, startTime: "1" }] });
  expect(await stopKeptStack(dataDir)).toEqual([]);
  expect(startTimeOf(pid)).toBeDefined();
});

test("without a record nothing is stopped", async () => {
  expect(await stopKeptStack(dataDir)).toEqual([]);
});
