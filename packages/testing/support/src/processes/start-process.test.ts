import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startTimeOf } from "./process-identity.ts";
import { startProcess } from "./start-process.ts";

/** A shell that runs a script, with its log. */
async function startShell(script: string) {
  const directory = mkdtempSync(join(tmpdir(), "v2j-start-process-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return startProcess({
    name: "shell",
    command: "sh",
    args: ["-c", script],
    env: { PATH: process.env.PATH },
    logFile: join(directory, "log"),
    detached: false,
    stopSignal: "SIGTERM",
  });
}

test("when a process has ended and left nobody, its watchdog ends with it and nobody of its number is killed", async () => {
  const kill = vi.spyOn(process, "kill");
  onTestFinished(() => kill.mockRestore());
  const { pid, ended, stop } = await startShell("exit 3");
  expect(await ended).toBe("code 3");
  const killed = () => kill.mock.calls.filter(([, signal]) => signal === "SIGKILL").map(([group]) => group);
  expect(killed()).toEqual([expect.any(Number)]);
  await stop();
  expect(killed()).not.toContain(-pid);
});

test("who was left behind by a process is ended when it is stopped, though it has ended long ago", async () => {
  const { ended, logFile, stop } = await startShell("sleep 60 >/dev/null & echo $!");
  await ended;
  const left = Number(readFileSync(logFile, "utf8"));
  expect(startTimeOf(left)).toBeDefined();
  await stop();
  await expect.poll(() => startTimeOf(left)).toBeUndefined();
});
