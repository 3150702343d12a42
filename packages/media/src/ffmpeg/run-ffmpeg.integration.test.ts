import { type ChildProcess, execFile } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "./confinement.ts";
import { FfmpegFailure } from "./ffmpeg-failure.ts";
import { type FfmpegLimits, runFfmpeg } from "./run-ffmpeg.ts";
import { runFfprobe } from "./run-ffprobe.ts";

const confinement = await findConfinement();
let folder: string;
let clip: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "run-ffmpeg-"));
  clip = join(folder, "a clip.mp4");
  const source = "testsrc=size=64x48:rate=10:duration=2";
  await promisify(execFile)("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", source, "-c:v", "libx264", clip]);
});

afterAll(() => rm(folder, { recursive: true }));

test("what ffmpeg prints on standard output comes back", async () => {
  const outputOptions = ["-f", "rawvideo", "-pix_fmt", "gray", "-frames:v", "1"];
  const { stdout } = await runFfmpeg({ input: clip, outputOptions, output: "-" }, { timeoutMs: 20_000, confinement });
  expect(stdout.length).toBe(64 * 48);
});

test("standard output can be read as it comes instead of kept", async () => {
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

test("a file is written where it was asked for", async () => {
  const output = join(folder, "copy.mkv");
  await runFfmpeg({ input: clip, outputOptions: ["-c", "copy"], output }, { timeoutMs: 20_000, confinement });
  expect((await stat(output)).size).toBeGreaterThan(500);
});

test("an option may hold a space", async () => {
  const outputOptions = ["-vf", "scale=32:24, format=gray", "-f", "rawvideo", "-frames:v", "1"];
  const { stdout } = await runFfmpeg({ input: clip, outputOptions, output: "-" }, { timeoutMs: 20_000, confinement });
  expect(stdout.length).toBe(32 * 24);
});

test("a run past its time is killed", async () => {
  const failure = await failureOf({ timeoutMs: 300 });
  expect(failure).toMatchObject({ reason: "timeout", signal: "SIGKILL" });
});

test.skipIf(confinement.prlimit === null)(
  "a run that stands still past its time, with CPU time left of less than that, is no fault of the file",
  async () => {
    const standing = join(folder, "never written to");
    await promisify(execFile)("mkfifo", [standing]);
    const run = runFfprobe(standing, [], { timeoutMs: 1100, maxCpuSeconds: 1, confinement });
    const failure = await run.catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "Error", message: expect.stringContaining("given too little time") });
  },
);

test("a run whose caller gives up is killed", async () => {
  const failure = await failureOf({ timeoutMs: 20_000, signal: AbortSignal.timeout(200) });
  expect(failure).toMatchObject({ reason: "aborted", signal: "SIGKILL" });
});

test("a run that was given up before it began never starts", async () => {
  expect(await failureOf({ timeoutMs: 20_000, signal: AbortSignal.abort() })).toMatchObject({ reason: "aborted" });
});

test("more output than allowed ends the run", async () => {
  expect(await failureOf({ timeoutMs: 20_000, maxStdoutBytes: 10_000 })).toMatchObject({ reason: "output-too-large" });
});

test("a reader that throws ends the run, and hears of it when the process is gone", async () => {
  const refusal = new Error("enough of this");
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

test("a failure carries the exit code and what ffmpeg said", async () => {
  const request = { input: join(folder, "absent.mp4"), outputOptions: ["-f", "null"], output: "-" };
  const failure = await runFfmpeg(request, { timeoutMs: 20_000, confinement }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FfmpegFailure);
  expect(failure).toMatchObject({ reason: "exit", exitCode: 1 });
  expect((failure as FfmpegFailure).stderr).toContain("No such file");
});

/** Reads the clip over and over, which ends only when it is made to. */
async function failureOf(limits: Omit<FfmpegLimits, "confinement">): Promise<unknown> {
  const endless = { input: clip, inputOptions: ["-stream_loop", "-1"], outputOptions: ["-f", "rawvideo"], output: "-" };
  const paced = { ...endless, inputOptions: [...endless.inputOptions, "-re"] };
  const failure = await runFfmpeg(paced, { ...limits, confinement }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FfmpegFailure);
  return failure;
}
