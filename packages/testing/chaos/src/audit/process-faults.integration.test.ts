import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { processFaults } from "./process-faults.ts";

/** A process that leads a group of its own and has started another, which outlives it. */
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

test("what a killed process left running is found, and that the process is gone", async () => {
  const { parent, pid, child } = await startParent();
  parent.kill("SIGKILL");
  await once(parent, "exit");
  const faults = await processFaults({
    running: [{ name: "worker-1", pid }],
    leaders: [pid],
    wrongEnds: ["worker-2 ended by itself"],
    patienceMs: 0,
  });
  expect(faults).toEqual([
    "worker-2 ended by itself",
    `worker-1 (pid ${pid}) is gone`,
    expect.stringContaining(` (pid ${child}) is left over`),
  ]);
});

test("a process that is stopped is found, and so is its child", async () => {
  const { pid, child } = await startParent();
  for (const each of [pid, child]) process.kill(each, "SIGSTOP");
  const faults = await processFaults({
    running: [{ name: "worker-1", pid }],
    leaders: [],
    wrongEnds: [],
    patienceMs: 0,
  });
  expect(faults).toEqual([
    `worker-1 (pid ${pid}) is stopped`,
    expect.stringContaining(` (pid ${child}) is stopped and left over, a child of worker-1`),
  ]);
});

test("a process that was given the number of one that has ended is not taken for a left-over", async () => {
  const { pid } = await startParent();
  expect(await processFaults({ running: [], leaders: [pid], wrongEnds: [], patienceMs: 0 })).toEqual([]);
});

test("processes that run and have nothing running beside them are in order", async () => {
  expect(await processFaults({ running: [], leaders: [2 ** 30], wrongEnds: [] })).toEqual([]);
  const { child } = await startParent();
  expect(await processFaults({ running: [{ name: "child", pid: child }], leaders: [], wrongEnds: [] })).toEqual([]);
});
