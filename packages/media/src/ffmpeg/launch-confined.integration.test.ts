import { execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ffmpegDirectory } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { findConfinement } from "./confinement.ts";
import { parseHardLimits } from "./limited-process.ts";

const { isolated, failures } = await findConfinement({ programDirectory: ffmpegDirectory });
// A machine may have no Landlock. A launcher that does not close a door must not skip these tests.
const refused = failures.some((failure) => /^launch-confined: (landlock|seccomp|close_range): /.test(failure));
const isPossible = ffmpegDirectory !== undefined && !refused;
const launcher = join(ffmpegDirectory ?? "", "launch-confined");

/** The command line of a program that the launcher starts as for a video. */
const confined = (...command: string[]) => [...isolated, ...command];
const limits = ["--as=1073741824", "--cpu=30", "--fsize=512", "--nofile=64", "--core=0"];

test.runIf(isPossible)("the launched program has every limit and a filter of its calls, and no right", async () => {
  const mark = String(randomInt(10 ** 9, 10 ** 12));
  const [command = "", ...args] = confined(...limits, "/bin/sleep", mark);
  const started = spawn(command, args, { stdio: "ignore", cwd: tmpdir() });
  onTestFinished(() => void started.kill("SIGKILL"));
  await expect.poll(() => running(mark, /^\/bin\/sleep/)).toHaveLength(1);
  const [pid] = await running(mark, /^\/bin\/sleep/);
  const [status, table] = await Promise.all(
    ["status", "limits"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8")),
  );
  expect(parseHardLimits(table ?? "")).toEqual({
    ...{ memoryBytes: 1_073_741_824, cpuSeconds: 30, fileBytes: 512, openFiles: 64 },
  });
  expect(table).toMatch(/^Max core file size\s+0\s+0\s/m);
  for (const line of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
    expect(status).toMatch(new RegExp(`^${line}:\\s+0+$`, "m"));
  expect(status).toMatch(/^NoNewPrivs:\s+1\nSeccomp:\s+2\nSeccomp_filters:\s+1$/m);
});

const forms = [[], ["--namespaces"], ["--no-landlock"], ["--namespaces", "--no-landlock"]];
test.runIf(isPossible).for(forms.map((options) => ({ options })))(
  "the jail proves that it holds with the options $options",
  async ({ options }, { skip }) => {
    const hasNamespaces = options.includes("--namespaces");
    skip(hasNamespaces && !isolated.includes("--namespaces"));
    const owner = hasNamespaces ? isolated.slice(0, isolated.indexOf(launcher)) : [];
    const [command = "", ...args] = [...owner, launcher, ...options, `--prove=${process.pid}`, "/bin/true"];
    await expect(promisify(execFile)(command, args, { cwd: tmpdir() })).rejects.toMatchObject({ signal: "SIGSYS" });
  },
);

test.runIf(isPossible)(
  "the kernel ends the launched program at its CPU limit, and the launcher returns its exit code",
  async () => {
    const runShell = (cpuSeconds: number, code: string) => {
      const [command = "", ...args] = confined(`--cpu=${cpuSeconds}`, "/bin/sh", "-c", code);
      return promisify(execFile)(command, args, { cwd: tmpdir() });
    };
    await expect(runShell(1, "while :; do :; done")).rejects.toMatchObject({ signal: "SIGKILL" });
    await expect(runShell(30, "exit 3")).rejects.toMatchObject({ code: 3 });
  },
);

test.runIf(isPossible).for([{ way: "namespaces" }, { way: "no namespaces" }])(
  "the launched program ends with the process that started the launcher: $way",
  async ({ way }) => {
    const mark = String(randomInt(10 ** 9, 10 ** 12));
    const start = way === "namespaces" ? confined() : [launcher];
    const [command = "", ...args] = [...start, "/bin/sleep", mark];
    const code = "require('child_process').spawn(process.argv[1], process.argv.slice(2), {stdio: 'ignore'})";
    const parent = spawn(process.execPath, ["-e", code, command, ...args], { stdio: "ignore", cwd: tmpdir() });
    await expect.poll(() => running(mark, /^\/bin\/sleep/)).toHaveLength(1);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await expect.poll(() => running(mark, /./)).toEqual([]);
  },
);

test.runIf(isPossible)("a failed start is reported, and starts nothing", async () => {
  const start = (...args: string[]) => promisify(execFile)(launcher, args, { cwd: tmpdir() });
  for (const args of [
    ["/nothing"],
    ["--as=many", "/bin/true"],
    ["--user=x", "/bin/true"],
    ["--descriptors=1", "/bin/true"],
    [],
  ])
    await expect(start(...args)).rejects.toMatchObject({
      code: 126,
      stderr: expect.stringMatching(/^launch-confined: /),
    });
});

/** Returns the ids of the processes whose command line contains a text and matches. */
async function running(text: string, pattern: RegExp): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")));
  const commands = lines.map((line) => line.replaceAll("\0", " "));
  return pids.filter((_, index) => commands[index]?.includes(text) && pattern.test(commands[index]));
}
