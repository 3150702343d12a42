import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ffmpeg, ffmpegDirectory, runsAllTests } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { FfmpegFailure } from "../ffmpeg/limited-process.ts";
import { gateCases } from "./gate-cases.harness.ts";
import { coreFiles, hostileFiles } from "./hostile-files.fixture.ts";
import { corePlaylists, hostilePlaylists } from "./hostile-playlists.fixture.ts";
import { measure } from "./measure.ts";
import { coreEncodings, oddEncodings } from "./odd-encodings.fixture.ts";
import { readHeader } from "./read-header.ts";

const captions = "1\n00:00:00,000 --> 00:00:04,000\nHello\n";
const make = (...args: readonly string[]) => ffmpeg(args, folder, captions);

const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
let folder: string;
const started: ChildProcess[] = [];
const onStart = (message: unknown) => void started.push((message as { process: ChildProcess }).process);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostile-files-"));
  const picture = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=5"];
  const plain = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-bf", "0"];
  await make(...picture, "-f", "lavfi", "-i", "sine=duration=5", ...plain, "-c:a", "aac", "plain.mp4");
  await make(...picture, ...plain, "silent.mp4");
  await writeFile(join(folder, "hello.srt"), captions);
  await make("-i", "plain.mp4", "-i", "hello.srt", "-c", "copy", "-c:s", "mov_text", "captions.mp4");
  await make("-i", "plain.mp4", "-c", "copy", "-movflags", "+faststart", "header-first.mp4");
  for (const name of ["plain.mkv", "plain.ts"]) await make("-i", "plain.mp4", "-c", "copy", name);
  await make(...picture, "-c:v", "mpeg4", "plain.avi");
  subscribe("child_process", onStart);
});

afterAll(async () => {
  unsubscribe("child_process", onStart);
  await rm(folder, { recursive: true });
});

/** Returns the length in seconds or the code, and the CPU seconds of the measurement. No process may be left. */
async function outcomeOf(path: string): Promise<{ outcome: number | string; cpuSeconds: number }> {
  const before = await cpuSecondsOfChildren();
  const outcome = await measure(path, { maxVideoSeconds: 600, confinement }).then(
    ({ durationMs }) => durationMs / 1000,
    (error: { code?: string }) => error.code ?? String(error),
  );
  const left = started.splice(0).filter((child) => child.exitCode === null && child.signalCode === null);
  expect(left).toEqual([]);
  return { outcome, cpuSeconds: (await cpuSecondsOfChildren()) - before };
}

/** Returns the CPU seconds of all child processes that have ended; 0 except on Linux. */
async function cpuSecondsOfChildren(): Promise<number> {
  const state = await readFile("/proc/self/stat", "utf8").catch(() => "");
  const fields = state.slice(state.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / 100;
}

test.each([
  ["clip.mxf", ["-c:v", "mpeg2video"], "an MXF file"],
  ["clip.gxf", ["-c:v", "mpeg2video", "-vf", "scale=720:512", "-pix_fmt", "yuv420p", "-an"], "a GXF file"],
  ["clip.nut", ["-c:v", "mpeg4"], "a NUT file"],
  ["clip.y4m", ["-pix_fmt", "yuv420p"], "a file of raw pictures (Y4M)"],
  ["clip.ivf", ["-c:v", "libvpx", "-b:v", "100k"], "an IVF file"],
  ["clip.264", ["-c:v", "libx264"], "a raw H.264 stream"],
  ["clip.265", ["-c:v", "libx265", "-x265-params", "log-level=none"], "a raw HEVC stream"],
  ["clip.m2v", ["-c:v", "mpeg2video"], "a raw MPEG stream"],
  ["clip.wav", ["-f", "lavfi", "-i", "sine=duration=1", "-map", "1"], "a sound file"],
])("%s is refused, and the message names its container", async (name, args, container) => {
  const path = join(folder, name);
  await make("-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=1", ...args, path);
  await expect(measure(path, { maxVideoSeconds: 600, confinement })).rejects.toMatchObject({
    code: "media_unreadable",
    message: expect.stringContaining(`The file is ${container}, which`),
  });
});

// Two million boxes take 5 s, and so do packets that grow when they are unpacked. All others take less than 1 s.
const maxCpuSeconds = 25;

test.each(gateCases(hostileFiles, coreFiles, runsAllTests))(
  "%s (from %s) is measured or rejected in time",
  async (...row) => {
    const [, from, change, wanted] = row;
    const path = join(folder, "hostile");
    await writeFile(path, change(await readFile(join(folder, from))));
    const names = await readdir(folder);
    const { outcome, cpuSeconds } = await outcomeOf(path);
    if (typeof wanted === "number") expect(outcome).toBeCloseTo(wanted, 0);
    else expect(outcome).toBe(wanted);
    expect(cpuSeconds).toBeLessThan(maxCpuSeconds);
    expect(await readdir(folder)).toEqual(names);
  },
);

/** ffprobe gets an open file and no name. So a run without --all tries only the second name, with one playlist. */
const extensions = ["", ".m3u8", ".mp4", ".mpd", ".ffconcat"];
const extensionsOf = (name: string) => {
  if (runsAllTests) return extensions;
  return extensions.slice(0, name === corePlaylists[0] ? 2 : 1);
};

test.each(gateCases(hostilePlaylists, corePlaylists, runsAllTests))(
  "%s is not a video, whatever its file name, and ffprobe does not open what it names",
  async (name, text) => {
    for (const extension of extensionsOf(name)) {
      const path = join(folder, `list${extension}`);
      await writeFile(path, text.replaceAll("@", folder));
      await expect(readHeader(path, { confinement })).rejects.toBeInstanceOf(FfmpegFailure);
      await rm(path);
    }
    const path = join(folder, "list");
    await writeFile(path, text.replaceAll("@", folder));
    expect((await outcomeOf(path)).outcome).toBe("media_unreadable");
    await rm(path);
  },
);

test.each(gateCases(oddEncodings, coreEncodings, runsAllTests))(
  "%s (%s) is measured or rejected",
  async (_name, extension, args, wanted) => {
    const path = join(folder, `encoded.${extension}`);
    await make(...args, path);
    const { outcome } = await outcomeOf(path);
    if (typeof wanted === "number") expect(Math.abs(Number(outcome) - wanted), String(outcome)).toBeLessThan(0.15);
    else expect(outcome).toBe(wanted);
    await rm(path);
  },
);
