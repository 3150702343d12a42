import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { listProcesses } from "../../process-tree.ts";
import { continueOnExit } from "./continue-on-exit.ts";

/** Starts a process and stops it. */
async function stoppedProcess() {
  const { pid = 0 } = spawn("sleep", ["60"], { stdio: "ignore" });
  onTestFinished(() => {
    process.kill(pid, "SIGKILL");
  });
  process.kill(pid, "SIGSTOP");
  await expect.poll(() => stateOf(pid)).toBe("T");
  return pid;
}

async function stateOf(pid: number): Promise<string | undefined> {
  return (await listProcesses()).find((each) => each.pid === pid)?.state.slice(0, 1);
}

test("stopped processes continue when the function is called", async () => {
  const pid = await stoppedProcess();
  const thaw = continueOnExit([2 ** 30, pid]);
  expect(await stateOf(pid)).toBe("T");
  await thaw();
  await expect.poll(() => stateOf(pid)).toBe("S");
});

test("stopped processes continue when the process that stopped them is killed", async () => {
  const pid = await stoppedProcess();
  const source = `import { continueOnExit } from ${JSON.stringify(import.meta.resolve("./continue-on-exit.ts"))};
    continueOnExit([${pid}]); console.log("stopped"); setInterval(() => {}, 1000);`;
  const killer = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(killer.stdout, "data");
  expect(await stateOf(pid)).toBe("T");
  killer.kill("SIGKILL");
  await expect.poll(() => stateOf(pid)).toBe("S");
});
