import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const program = fileURLToPath(new URL("logging-process.fixture.ts", import.meta.url));

/** The outputs of the log. None of them takes the 2 MB that the process logs. */
const outputs = {
  "a full disk": () => [openSync("/dev/full", "w")],
  "a socket that is not read": () => [],
  "a pipe that is not read": () => [openSync(newPipe(), "r+")],
  "a pipe whose reader has gone": () => {
    const path = newPipe();
    const reader = openSync(path, "r+");
    const writer = openSync(path, "w");
    return [writer, reader];
  },
};

for (const [name, open] of Object.entries(outputs)) {
  test(`a process whose log is ${name} works, counts the lines that it drops, and shuts down`, async () => {
    const { child, address } = await startProcess(open);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    const metrics = await (await fetch(`${address}/metrics`)).text();
    expect(Number(/^video_to_json_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(100);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test(`a process whose log is ${name} ends after an uncaught error`, async () => {
    const { child } = await startProcess(open);
    child.kill("SIGUSR2");
    expect(await once(child, "exit")).toEqual([1, null]);
  });
}

test("lines that a slow reader has not taken yet wait for it", async () => {
  const { child, address } = await startProcess(() => []);
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  let log = "";
  child.stdout?.on("data", (bytes) => {
    log += bytes;
  });
  await expect.poll(() => log.match(/^\{.*"msg":"line"\}$/gm)?.length).toBeGreaterThan(800);
});

async function startProcess(open: () => number[]) {
  const descriptors = open();
  const child = spawn(process.execPath, [program], { stdio: ["ignore", descriptors[0] ?? "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  for (const descriptor of descriptors) closeSync(descriptor);
  const [address] = (await once(child.stderr as Readable, "data")) as [Buffer];
  return { child, address: address.toString().trim() };
}

function newPipe(): string {
  const directory = mkdtempSync(join(tmpdir(), "v2j-pipe-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  execFileSync("mkfifo", [join(directory, "pipe")]);
  return join(directory, "pipe");
}
