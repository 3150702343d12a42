import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ffmpegDirectory } from "@video-to-json/testing";
import ffmpeg from "fluent-ffmpeg";
import { expect, test } from "vitest";
import { findConfinement, gapsOf } from "./confinement.ts";
import { runLimited } from "./limited-process.ts";
import { findProgramFaults, handOver } from "./run-ffmpeg.ts";

const module = (name: string) => JSON.stringify(fileURLToPath(import.meta.resolve(name)));
const confinement = await findConfinement();
const { endingWithUs, prlimit } = confinement;

const ample = {
  confinement,
  maxMemoryBytes: 2 ** 32,
  maxCpuSeconds: 60,
  maxFileBytes: 2 ** 30,
  maxStdoutBytes: 2 ** 20,
};
const endless = () =>
  ffmpeg().input("testsrc2=size=640x480:rate=30").inputFormat("lavfi").output("-").outputOptions("-f", "null");

test.skipIf(prlimit === null)("the kernel ends a run that exceeds its CPU time, and the file is blamed", async () => {
  let kills = 0;
  const counting = { ...confinement, onKilled: () => kills++ };
  const limits = { ...ample, confinement: counting, maxCpuSeconds: 1, timeoutMs: 30_000 };
  await expect(runLimited("ffmpeg", endless(), limits)).rejects.toMatchObject({ reason: "exit" });
  const silent = endless().inputOptions("-v", "quiet");
  await expect(runLimited("ffmpeg", silent, limits)).rejects.toMatchObject({ reason: "exit", signal: "SIGKILL" });
  expect(kills).toBe(2);
});

test.skipIf(prlimit === null)("the kernel limits the memory of a run", async () => {
  const command = () =>
    ffmpeg()
      .input("color=size=64x48")
      .inputFormat("lavfi")
      .output("-")
      .outputOptions("-frames:v", "1", "-f", "framecrc");
  const limits = { ...ample, timeoutMs: 30_000 };
  expect((await runLimited("ffmpeg", command(), limits)).stdout.toString()).toMatch(/^0, /m);
  // Not enough memory for the program itself. With a little more, ffmpeg starts and then waits for memory until its
  // timeout.
  const starved = { ...limits, maxMemoryBytes: 20_000_000 };
  await expect(runLimited("ffmpeg", command(), starved)).rejects.toThrow("cannot start");
});

test.skipIf(prlimit === null)("the kernel limits the size of a file that a run writes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "confinement-"));
  const output = join(folder, "large.raw");
  await writeFile(output, "");
  {
    await using files = await handOver(confinement, { input: output, output });
    const command = endless().output(files.output).outputOptions("-y", "-f", "rawvideo");
    const limits = { ...ample, files: files.opened, maxFileBytes: 1_000_000, timeoutMs: 30_000 };
    await expect(runLimited("ffmpeg", command, limits)).rejects.toMatchObject({ reason: "exit" });
  }
  expect((await stat(output)).size).toBe(1_000_000);
  await rm(folder, { recursive: true });
});

test.skipIf(endingWithUs.length === 0)("ffmpeg ends when the process that started it is killed", async () => {
  const mark = `comment=${randomUUID()}`;
  const script = `
    import ffmpeg from ${module("fluent-ffmpeg")};
    import { runLimited } from ${module("./limited-process.ts")};
    const command = ffmpeg().input("testsrc2=size=64x48").inputFormat("lavfi").inputOptions("-re")
      .output("-").outputOptions("-v", "quiet", "-nostats", "-metadata", process.argv[1], "-f", "null");
    await runLimited("ffmpeg", command, ${JSON.stringify({ ...ample, timeoutMs: 60_000 })});
  `;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", script, mark], { stdio: "inherit" });
  await expect.poll(() => commandsWith(mark)).toContainEqual(expect.stringMatching(/^ffmpeg|\/ffmpeg/));
  parent.kill("SIGKILL");
  await once(parent, "exit");
  await expect.poll(() => commandsWith(mark)).toEqual([]);
});

test("the programs of another directory are used, and reported if they are missing", async () => {
  const directory = await mkdtemp(join(tmpdir(), "programs-"));
  expect(await findProgramFaults(await findConfinement({ programDirectory: directory }))).toHaveLength(2);
  for (const program of ["ffmpeg", "ffprobe"])
    await writeFile(join(directory, program), "#!/bin/sh\necho from elsewhere\n", { mode: 0o755 });
  const elsewhere = await findConfinement({ programDirectory: directory });
  expect(await findProgramFaults(elsewhere)).toEqual([]);
  const { stdout } = await runLimited("ffmpeg", ffmpeg().input("none"), {
    ...ample,
    ...{ confinement: elsewhere, timeoutMs: 10_000 },
  });
  expect(stdout.toString()).toBe("from elsewhere\n");
  await rm(directory, { recursive: true });
});

test("a launcher that starts programs but confines nothing is a gap", async () => {
  const directory = await mkdtemp(join(tmpdir(), "programs-"));
  const names = ["ffmpeg", "ffprobe", "launch-confined"];
  for (const name of names) await writeFile(join(directory, name), "#!/bin/sh\n", { mode: 0o755 });
  const found = await findConfinement({ programDirectory: directory });
  expect(found.failures).toContain("launch-confined proves nothing");
  expect(gapsOf(found)).toContainEqual(expect.stringMatching(/start other programs/));
  await rm(directory, { recursive: true });
});

test("programs that are links are confined like others", async ({ skip }) => {
  const { seesNoFiles } = await findConfinement({ programDirectory: ffmpegDirectory });
  skip(ffmpegDirectory === undefined || !seesNoFiles);
  const links = await mkdtemp(join(tmpdir(), "links-"));
  const names = ["ffmpeg", "ffprobe", "launch-confined"];
  for (const name of names) await symlink(join(String(ffmpegDirectory), name), join(links, name));
  expect(await findConfinement({ programDirectory: links })).toMatchObject({ seesNoFiles: true });
  await rm(links, { recursive: true });
});

test("without the launcher, ffmpeg runs, and the worker names each gap", async () => {
  expect(await findProgramFaults(confinement)).toEqual([]);
  expect(confinement).toMatchObject({ isolated: [], seesNoFiles: false, hasOwnUser: false, failures: [] });
  expect(gapsOf(confinement)).toHaveLength(prlimit === null ? 6 : 5);
});

/** Returns the programs that run with this argument. */
async function commandsWith(argument: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return lines
    .map((line) => line.split("\0"))
    .filter((words) => words.includes(argument))
    .map(([program = ""]) => program);
}
