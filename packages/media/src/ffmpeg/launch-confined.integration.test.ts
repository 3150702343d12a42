import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ffmpegDirectory } from "@video-to-json/testing";
import ffmpeg from "fluent-ffmpeg";
import { expect, onTestFinished, test } from "vitest";
import { findConfinement } from "./confinement.ts";
import { runLimited } from "./limited-process.ts";

const { isOneStart, asNamespaceOwner } = await findConfinement({ programDirectory: ffmpegDirectory });
const launcher = join(ffmpegDirectory ?? "", "launch-confined");

/** Runs shell code instead of ffmpeg, started by the launcher. */
async function runShell(code: string, { maxCpuSeconds = 30 } = {}) {
  const programDirectory = await mkdtemp(join(tmpdir(), "launched-"));
  onTestFinished(() => rm(programDirectory, { recursive: true }));
  await promisify(execFile)("chmod", ["755", programDirectory]);
  await copyFile(launcher, join(programDirectory, "launch-confined"));
  const script = `#!/bin/sh\n[ "$1" != -version ] || exit 0\n${code}\n`;
  for (const name of ["ffmpeg", "ffprobe"]) await writeFile(join(programDirectory, name), script, { mode: 0o755 });
  const confinement = await findConfinement({ programDirectory });
  expect(confinement.isOneStart).toBe(true);
  const limits = {
    timeoutMs: 60_000,
    maxCpuSeconds,
    maxMemoryBytes: 1024 ** 3,
    maxFileBytes: 512,
    maxStdoutBytes: 10_000,
  };
  return runLimited("ffmpeg", ffmpeg().input("none"), { ...limits, confinement });
}

test.runIf(isOneStart)("the launcher sets every limit, and drops every right", async () => {
  const code =
    "for l in v f n c t; do ulimit -$l; done; grep -E '^(Cap|NoNewPrivs)' /proc/self/status; ls -d /proc/[0-9]*";
  const { stdout } = await runShell(code);
  const lines = stdout.toString().trim().split("\n");
  expect(lines.slice(0, 5)).toEqual(["1048576", "1", "64", "0", "30"]);
  expect(lines.slice(5, 11).map((line) => line.replace(/\s+/, " "))).toEqual([
    ...["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}: 0000000000000000`),
    "NoNewPrivs: 1",
  ]);
  expect(lines.slice(11)).toEqual(["/proc/1"]);
});

test.runIf(isOneStart)(
  "the kernel ends the launched program at its CPU limit, and the launcher returns its exit code",
  async () => {
    await expect(runShell("while :; do :; done", { maxCpuSeconds: 1 })).rejects.toMatchObject({ signal: "SIGKILL" });
    await expect(runShell("exit 3")).rejects.toMatchObject({ exitCode: 3 });
  },
);

test.runIf(isOneStart)("the launched program ends with the process that started the launcher", async () => {
  const mark = `mark-${randomUUID()}`;
  const [command = "", ...args] = [...asNamespaceOwner, launcher, "/bin/sh", "-c", "while :; do sleep 1; done", mark];
  const code = "require('child_process').spawn(process.argv[1], process.argv.slice(2), {stdio: 'ignore'})";
  const parent = spawn(process.execPath, ["-e", code, command, ...args], { stdio: "ignore", cwd: tmpdir() });
  await expect.poll(() => running(mark)).toContainEqual(expect.stringMatching(/^\/bin\/sh/));
  parent.kill("SIGKILL");
  await once(parent, "exit");
  await expect.poll(() => running(mark)).toEqual([]);
});

test.runIf(isOneStart)("a failed start is reported, and starts nothing", async () => {
  const start = (...args: string[]) => promisify(execFile)(launcher, args, { cwd: tmpdir() });
  for (const args of [["/nothing"], ["--as=many", "/bin/true"], ["--user=x", "/bin/true"], []])
    await expect(start(...args)).rejects.toMatchObject({
      code: 126,
      stderr: expect.stringMatching(/^launch-confined: /),
    });
});

/** Returns the command lines of this machine that contain a text. */
async function running(text: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")));
  return lines.map((line) => line.replaceAll("\0", " ")).filter((line) => line.includes(text));
}
