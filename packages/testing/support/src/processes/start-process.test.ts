import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { groupRuns, killGroup, startTimeOf } from "./process-group.ts";
import { startProcess } from "./start-process.ts";

async function startShell(script: string) {
  const directory = mkdtempSync(join(tmpdir(), "v2j-start-process-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return startProcess({ name: "shell", command: "sh", args: ["-c", script], logFile: join(directory, "log") });
}

test("when a process has ended without children, its watchdog ends and no process with its pid is killed", async () => {
  const kill = vi.spyOn(process, "kill");
  onTestFinished(() => kill.mockRestore());
  const { pid, ended, stop } = await startShell("exit 3");
  expect(await ended).toBe("code 3");
  const killed = () => kill.mock.calls.filter(([, signal]) => signal === "SIGKILL").map(([group]) => group);
  expect(killed()).toEqual([expect.any(Number)]);
  await stop();
  expect(killed()).not.toContain(-pid);
});

test("stopping a process kills the children that it left, although it has ended before", async () => {
  const { ended, logFile, stop } = await startShell("sleep 60 >/dev/null & echo $!");
  await ended;
  const left = Number(readFileSync(logFile, "utf8"));
  expect(startTimeOf(left)).toBeDefined();
  await stop();
  await expect.poll(() => startTimeOf(left)).toBeUndefined();
});

async function startLeader() {
  const leader = spawn("sh", ["-c", "sleep 60 & echo; wait"], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const pid = Number(leader.pid);
  onTestFinished(() => killGroup({ pid, startTime: startTimeOf(pid) }));
  await once(leader.stdout, "data");
  return { leader, pid, startTime: startTimeOf(pid) };
}

test("a group runs until its last process has ended, the leader or another", async () => {
  const { leader, ...group } = await startLeader();
  expect(groupRuns(group)).toBe(true);
  leader.kill("SIGKILL");
  await once(leader, "exit");
  expect(groupRuns(group)).toBe(true);
  killGroup(group);
  await expect.poll(() => groupRuns(group)).toBe(false);
});

test("a group is not killed when another process has the pid of its leader", async () => {
  const { pid, startTime } = await startLeader();
  const earlier = { pid, startTime: "1" };
  expect(groupRuns(earlier)).toBe(false);
  killGroup(earlier);
  expect(startTimeOf(pid)).toBe(startTime);
});
