import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { groupRuns, killGroup, startTimeOf } from "./process-group.ts";

/** Starts a process that leads a group, and waits until it runs. */
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
