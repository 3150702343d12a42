import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ffmpeg, ffmpegDirectory, runsAllTests } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { gateCases } from "./gate-cases.harness.ts";
import { measure } from "./measure.ts";
import { changeBoxes, numbersAt } from "./mp4-boxes.harness.ts";
import { scanPackets } from "./scan-packets.ts";
import { minSoundSeconds } from "./sound-length.ts";

const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
const make = (...args: readonly string[]) => ffmpeg(args, folder);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sound-length-"));
});

afterAll(() => rm(folder, { recursive: true }));

const seconds = 6;
const tone = ["-f", "lavfi", "-i", `sine=duration=${seconds}`];
const shortSeconds = 3;
const shortTone = ["-f", "lavfi", "-i", `sine=duration=${shortSeconds}`];

/** One encoder at one rate. */
type Sound = readonly [encoder: string, rate: number, ...options: string[]];

const aac: Sound[] = [8000, 22_050, 44_100, 48_000, 96_000].map((rate) => ["aac", rate]);
const mp3: Sound[] = [8000, 11_025, 16_000, 24_000, 32_000, 44_100].map((rate) => ["libmp3lame", rate]);
const dolby: Sound[] = [
  ["ac3", 32_000],
  ["ac3", 48_000],
  ["eac3", 48_000],
];
const opus: Sound[] = ["2.5", "20", "60"].map((length) => ["libopus", 48_000, "frame_duration", length]);
const lossless: Sound[] = [
  ["flac", 8000],
  ["flac", 44_100],
  ["alac", 44_100],
];
const vorbis: Sound[] = [8000, 44_100].map((rate) => ["libvorbis", rate, "ac", "2"]);
const plain: Sound[] = [
  ["pcm_s16le", 8000],
  ["pcm_s24le", 48_000],
  ["pcm_mulaw", 8000],
];
const inOneFile: [string, Sound[]][] = [
  ["mp4", [...aac, ...mp3, ...dolby, ...opus, ...lossless]],
  ["mkv", [...aac, ...mp3, ...dolby, ...opus, ...lossless, ...vorbis, ...plain, ["mp2", 24_000]]],
  ["mov", [...aac, ...mp3, ...plain, ["pcm_s16be", 44_100]]],
  ["webm", [...opus, ...vorbis]],
  ["avi", [...aac, ...mp3, ["ac3", 48_000], ...plain, ["mp2", 44_100]]],
  ["flv", [["libmp3lame", 22_050]]],
  ["flv", [["pcm_s16le", 16_000]]],
  ["ts", [...aac, ...mp3, ...dolby, ...opus, ["mp2", 48_000]]],
  ["asf", [...mp3, ["wmav1", 16_000], ["wmav2", 8000], ["wmav2", 44_100]]],
];

test.each(inOneFile)("no sound in %s is computed as longer than it is", async (ending, sounds) => {
  const path = join(folder, `sounds.${ending}`);
  const encoders = sounds.flatMap(([encoder, rate, name, value], index) => [
    ...["-map", "0", `-c:a:${index}`, encoder, `-ar:a:${index}`, String(rate)],
    ...(name && value ? [`-${name}:a:${index}`, value] : []),
  ]);
  await make(...shortTone, ...encoders, "-strict", "-2", path);
  const { header, timeline } = await scanPackets(path, { maxSeconds: 600, broadcast: ending === "ts", confinement });
  if (header === null) throw new Error("The scan did not reach the end of the file.");
  expect(header.streams).toHaveLength(sounds.length);
  for (const stream of header.streams) {
    const shortest = minSoundSeconds(header, stream, timeline.stream(stream.index));
    const which = `${stream.codec} at ${stream.samplesPerSecond}`;
    expect.soft(shortest, which).toBeLessThan(1.01 * timeline.total([stream.index]) + 0.1);
    // Every packet of these codecs contains the same number of samples.
    if (/^(aac|mp3|ac3|pcm_.*)$/.test(stream.codec ?? ""))
      expect.soft(shortest, which).toBeGreaterThan(0.9 * shortSeconds);
  }
});

const picture = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=2"];

/** Changes a box of the second track, the sound. */
function changeSound(file: Buffer, path: string, change: (content: Buffer) => void): Buffer {
  let track = 0;
  return changeBoxes(file, path, (content) => {
    track += 1;
    if (track === 2) change(content);
  });
}

/** Returns the file with the time stamps of its sound divided by four. */
function squeezed(file: Buffer): Buffer {
  return changeSound(file, "moov/trak/mdia/mdhd", (content) => {
    content.writeUInt32BE(4 * content.readUInt32BE(12), 12);
  });
}

test.each([
  ["aac", "mp4"],
  ["libmp3lame", "mp4"],
  ["pcm_s16le", "mov"],
])("sound (%s in %s) that takes longer to play than its time stamps allow is rejected", async (encoder, ending) => {
  const path = join(folder, `squeezed.${ending}`);
  await make(...picture, ...tone, "-ar", "16000", "-c:v", "mpeg4", "-c:a", encoder, path);
  const file = await readFile(path);
  expect((await measure(path, { maxVideoSeconds: 600, confinement })).durationMs).toBeGreaterThan(1000 * seconds - 100);
  await writeFile(path, squeezed(file));
  await expect(measure(path, { maxVideoSeconds: 600, confinement })).rejects.toMatchObject({
    code: "media_unreadable",
    message: expect.stringContaining("more sound than its time stamps allow"),
  });
});

const tenfold = ["-bsf:a", "setts=ts=TS/10:duration=DURATION/10"];

const longPackets: [string, string, string, string[]][] = [
  ["Opus in WebM", "libopus", "webm", ["-frame_duration", "120"]],
  ["Opus in Matroska", "libopus", "mkv", ["-frame_duration", "60"]],
  ["Opus in MP4", "libopus", "mp4", ["-frame_duration", "120"]],
  ["FLAC in MP4", "flac", "mp4", ["-frame_size", "16384"]],
  ["FLAC in Matroska", "flac", "mkv", []],
];
const corePackets = ["Opus in WebM", "Opus in MP4", "FLAC in MP4", "FLAC in Matroska"];

test.each(gateCases(longPackets, corePackets, runsAllTests))(
  "%s that takes ten times as long to play as its time stamps allow is rejected",
  async (_name, encoder, ending, options) => {
    const plain = join(folder, `long.${ending}`);
    const path = join(folder, `squeezed-heads.${ending}`);
    const codec = ending === "webm" ? "libvpx" : "mpeg4";
    const sound = ["-f", "lavfi", "-i", "sine=duration=30"];
    await make(...picture, ...sound, "-c:v", codec, "-c:a", encoder, ...options, "-strict", "-2", plain);
    expect((await measure(plain, { maxVideoSeconds: 600, confinement })).durationMs).toBeGreaterThan(29_000);
    await make("-i", plain, "-c", "copy", ...tenfold, "-strict", "-2", path);
    await expect(measure(path, { maxVideoSeconds: 600, confinement })).rejects.toMatchObject({
      code: "media_unreadable",
      message: expect.stringContaining("more sound than its time stamps allow"),
    });
  },
);

test("sound that plays longer than its time stamps allow is rejected even if an edit list hides most of it", async () => {
  const path = join(folder, "hidden.mp4");
  await make(...picture, ...tone, "-ar", "16000", "-c:v", "mpeg4", "-c:a", "aac", path);
  const hidden = changeSound(squeezed(await readFile(path)), "moov/trak/edts/elst", numbersAt(12, [89_600]));
  await writeFile(path, hidden);
  await expect(measure(path, { maxVideoSeconds: 600, confinement })).rejects.toMatchObject({
    code: "media_unreadable",
  });
});
