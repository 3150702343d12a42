import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { processFaults } from "./findings.ts";

/** Starts a group leader with a child that continues after it. */
async function startParent() {
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; wait"], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = Number(parent.pid);
  onTestFinished(() => {
    process.kill(-pid, "SIGKILL");
  });
  const [child] = await once(createInterface({ input: parent.stdout }), "line");
  return { parent, pid, child: Number(child) };
}

test("a killed process and its orphaned child are reported", async () => {
  const { parent, pid, child } = await startParent();
  parent.kill("SIGKILL");
  await once(parent, "exit");
  const faults = await processFaults({
    running: [{ name: "worker-1", pid }],
    leaders: [pid],
    wrongExits: ["worker-2 ended without a signal"],
    timeoutMs: 0,
  });
  expect(faults).toEqual([
    "worker-2 ended without a signal",
    `worker-1 (pid ${pid}) is gone`,
    expect.stringContaining(` (pid ${child}) is orphaned, a child of`),
  ]);
});

test("a stopped process and its stopped child are reported", async () => {
  const { pid, child } = await startParent();
  for (const each of [pid, child]) {
    process.kill(each, "SIGSTOP");
    await expect
      .poll(() => execFileSync("ps", ["-o", "stat=", "-p", String(each)], { encoding: "utf8" }))
      .toMatch(/^T/);
  }
  const faults = await processFaults({
    running: [{ name: "worker-1", pid }],
    leaders: [],
    wrongExits: [],
    timeoutMs: 0,
  });
  expect(faults).toEqual([
    `worker-1 (pid ${pid}) is stopped`,
    expect.stringContaining(` (pid ${child}) is stopped and orphaned, a child of worker-1`),
  ]);
});

test("a new process with the pid of one that has ended is not reported", async () => {
  const { pid } = await startParent();
  expect(await processFaults({ running: [], leaders: [pid], wrongExits: [], timeoutMs: 0 })).toEqual([]);
});

test("running processes without orphans have no faults", async () => {
  expect(await processFaults({ running: [], leaders: [2 ** 30], wrongExits: [] })).toEqual([]);
  const { child } = await startParent();
  expect(await processFaults({ running: [{ name: "child", pid: child }], leaders: [], wrongExits: [] })).toEqual([]);
});
