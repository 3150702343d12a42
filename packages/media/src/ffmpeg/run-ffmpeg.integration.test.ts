import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { ffmpeg } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { findConfinement } from "./confinement.ts";
import { FfmpegFailure } from "./limited-process.ts";
import { type FfmpegLimits, runFfmpeg, runFfprobe } from "./run-ffmpeg.ts";

const confinement = await findConfinement();
let folder: string;
let clip: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "run-ffmpeg-"));
  clip = join(folder, "a clip.mp4");
  const source = "testsrc=size=64x48:rate=10:duration=2";
  await ffmpeg(["-f", "lavfi", "-i", source, "-c:v", "libx264", clip]);
});

afterAll(() => rm(folder, { recursive: true }));

test("runFfmpeg returns standard output", async () => {
  const outputOptions = ["-f", "rawvideo", "-pix_fmt", "gray", "-frames:v", "1"];
  const { stdout } = await runFfmpeg({ input: clip, outputOptions, output: "-" }, { timeoutMs: 20_000, confinement });
  expect(stdout.length).toBe(64 * 48);
});

test("standard output can be streamed instead of kept", async () => {
  let bytes = 0;
  const outputOptions = ["-f", "rawvideo", "-pix_fmt", "gray"];
  const onStdout = (chunk: Buffer) => {
    bytes += chunk.length;
  };
  const { stdout } = await runFfmpeg(
    { input: clip, outputOptions, output: "-" },
    { timeoutMs: 20_000, confinement, onStdout },
  );
  expect([stdout.length, bytes]).toEqual([0, 20 * 64 * 48]);
});

test("the output file is written to its path", async () => {
  const output = join(folder, "copy.mkv");
  const outputOptions = ["-c", "copy", "-f", "matroska"];
  await runFfmpeg({ input: clip, outputOptions, output }, { timeoutMs: 20_000, confinement });
  expect((await stat(output)).size).toBeGreaterThan(500);
});

test("an option may contain a space", async () => {
  const outputOptions = ["-vf", "scale=32:24, format=gray", "-f", "rawvideo", "-frames:v", "1"];
  const { stdout } = await runFfmpeg({ input: clip, outputOptions, output: "-" }, { timeoutMs: 20_000, confinement });
  expect(stdout.length).toBe(32 * 24);
});

test("a run is killed at its timeout", async () => {
  const failure = await failureOf({ timeoutMs: 300 });
  expect(failure).toMatchObject({ reason: "timeout", signal: "SIGKILL" });
});

test.skipIf(confinement.prlimit === null)(
  "a run that stands still until its timeout, with CPU time left, is not blamed on the file",
  async () => {
    const programDirectory = await mkdtemp(join(tmpdir(), "standing-"));
    onTestFinished(() => rm(programDirectory, { recursive: true }));
    await chmod(programDirectory, 0o755);
    const standing = '#!/bin/sh\n[ "$1" = -version ] || exec sleep 60\n';
    for (const name of ["ffmpeg", "ffprobe"]) await writeFile(join(programDirectory, name), standing, { mode: 0o755 });
    const standstill = { timeoutMs: 1100, maxCpuSeconds: 1, confinement: await findConfinement({ programDirectory }) };
    const run = runFfprobe(clip, [], standstill);
    const failure = await run.catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "Error", message: expect.stringContaining("got too little time") });
  },
);

test("the processes of the service have priority over a run", async () => {
  const started: ChildProcess[] = [];
  const onStart = (message: unknown) => void started.push((message as { process: ChildProcess }).process);
  subscribe("child_process", onStart);
  const abort = new AbortController();
  const run = failureOf({ timeoutMs: 20_000, signal: abort.signal });
  const lower = () => started.some(({ pid }) => pid !== undefined && getPriority(pid) > getPriority());
  await expect.poll(lower).toBe(true);
  unsubscribe("child_process", onStart);
  abort.abort();
  await run;
});

test("an abort kills the run", async () => {
  const failure = await failureOf({ timeoutMs: 20_000, signal: AbortSignal.timeout(200) });
  expect(failure).toMatchObject({ reason: "aborted", signal: "SIGKILL" });
});

test.skipIf(confinement.prlimit === null)(
  "an abort also kills a program that its launcher has not tied to itself",
  async () => {
    const untied = { isolated: [], hasView: false };
    const launcher = ["/bin/sh", "-c", '"$@" & wait', "launcher"];
    const ended = performance.now() + 30_000;
    const minute = {
      inputOptions: ["-stream_loop", "-1", "-re"],
      outputOptions: ["-t", "60", "-f", "null"],
      output: "-",
    };
    const given = { ...confinement, ...untied, endingWithUs: launcher };
    const run = runFfmpeg(
      { input: clip, ...minute },
      { timeoutMs: 90_000, signal: AbortSignal.timeout(200), confinement: given },
    );
    await expect(run).rejects.toMatchObject({ reason: "aborted" });
    expect(performance.now()).toBeLessThan(ended);
  },
);

test("a run with an aborted signal never starts", async () => {
  expect(await failureOf({ timeoutMs: 20_000, signal: AbortSignal.abort() })).toMatchObject({ reason: "aborted" });
});

test("too much output ends the run", async () => {
  expect(await failureOf({ timeoutMs: 20_000, maxStdoutBytes: 10_000 })).toMatchObject({ reason: "output-too-large" });
});

test("an error in onStdout ends the run, and rejects once the process is gone", async () => {
  const refusal = new Error("thrown in onStdout");
  const onStdout = () => {
    throw refusal;
  };
  const limits = { timeoutMs: 20_000, maxCpuSeconds: 10, confinement, onStdout };
  const started: ChildProcess[] = [];
  const onStart = (message: unknown) => void started.push((message as { process: ChildProcess }).process);
  subscribe("child_process", onStart);
  const run = runFfprobe(clip, ["-show_packets"], limits);
  const gone = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;
  const seen = await run.catch((error: unknown) => [error, ...started.map(gone)]);
  unsubscribe("child_process", onStart);
  expect(seen).toEqual([refusal, true]);
});

test("a failure holds the exit code and the messages of ffmpeg", async () => {
  const input = join(folder, "words.mp4");
  await writeFile(input, "no video");
  const request = { input, outputOptions: ["-f", "null"], output: "-" };
  const failure = await runFfmpeg(request, { timeoutMs: 20_000, confinement }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FfmpegFailure);
  expect(failure).toMatchObject({ reason: "exit", exitCode: 1 });
  expect((failure as FfmpegFailure).stderr).toContain("Invalid data");
});

test("a file that is absent is the fault of this machine", async () => {
  const request = { input: join(folder, "absent.mp4"), outputOptions: ["-f", "null"], output: "-" };
  const failure = await runFfmpeg(request, { timeoutMs: 20_000, confinement }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: "Error", code: "ENOENT" });
});

/** Reads the clip in an endless loop. Returns the error that ends it. */
async function failureOf(limits: Omit<FfmpegLimits, "confinement">): Promise<unknown> {
  const endless = { input: clip, inputOptions: ["-stream_loop", "-1"], outputOptions: ["-f", "rawvideo"], output: "-" };
  const paced = { ...endless, inputOptions: [...endless.inputOptions, "-re"] };
  const failure = await runFfmpeg(paced, { ...limits, confinement }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FfmpegFailure);
  return failure;
}
