import { cp, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ffmpeg, makeVideo } from "@video-to-json/testing";
import { ffmpegDirectory, runsAllTests } from "@video-to-json/testing/running";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { gateCases } from "../measure/gate-cases.harness.ts";
import { samePictures } from "../measure/hostile-files.fixture.ts";
import { type MeasuredVideo, measure } from "../measure/measure.ts";
import { box, changeBoxes, numbersAt, putBox } from "../measure/mp4-boxes.harness.ts";
import { readHeader } from "../measure/read-header.ts";
import { type Copy, flvCaption, flvHeaderBytes, flvTags, readableMedia, readCopy, videoTag } from "./copies.harness.ts";
import { prepareForProvider } from "./prepare-for-provider.ts";

const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
let folder: string;
let sample: string;
let measuredSample: MeasuredVideo;
/** The sample in Matroska, which the provider does not read. */
let matroska: string;
let measuredMatroska: MeasuredVideo;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ready-for-model-"));
  sample = join(folder, "sample.mp4");
  matroska = join(folder, "sample.mkv");
  const scenes = [{ seconds: 4, color: "red", sound: "tone", moving: true }] as const;
  await makeVideo({ scenes, width: 160, height: 120 }, sample);
  await ffmpeg(["-i", "sample.mp4", "-c", "copy", matroska], folder);
  measuredSample = await measure(sample, { maxVideoSeconds: 600, confinement });
  measuredMatroska = await measure(matroska, { maxVideoSeconds: 600, confinement });
});

afterAll(() => rm(folder, { recursive: true }));

/** Makes a file from the sample, prepares it, and reads the prepared file. */
async function prepare(name: string, args: readonly string[]): Promise<Prepared> {
  const path = join(folder, name);
  await ffmpeg(["-i", "sample.mp4", ...args, path], folder);
  return prepareFile(path);
}

type Prepared = { given: MeasuredVideo; path: string; sent: Copy; asItIs: boolean; mimeType: string };

async function prepareFile(path: string, measured?: MeasuredVideo): Promise<Prepared> {
  const scratch = await mkdtemp(join(folder, "scratch-"));
  const given = measured ?? (await measure(path, { maxVideoSeconds: 600, confinement }));
  const ready = await prepareForProvider(path, given, { readable: readableMedia, scratchDir: scratch, confinement });
  const asItIs = ready.path === path;
  const sent = asItIs ? given : await readCopy(ready.path, confinement);
  return { given, path: ready.path, sent, asItIs, mimeType: ready.mimeType };
}

test("an MP4 is sent unchanged", async () => {
  expect(await prepareFile(sample, measuredSample)).toMatchObject({ asItIs: true, mimeType: "video/mp4" });
});

test("a Matroska file is copied to MP4 without being encoded again", async () => {
  const { given, path, mimeType } = await prepareFile(matroska, measuredMatroska);
  expect(mimeType).toBe("video/mp4");
  const sent = await measure(path, { maxVideoSeconds: 600, confinement });
  expect(sent).toMatchObject({ container: "mp4", videoCodec: "h264", audioCodec: "aac", width: 160, height: 120 });
  expect(Math.abs(sent.durationMs - given.durationMs)).toBeLessThan(100);
});

test("Theora in Ogg is encoded as H.264 in MP4", async () => {
  const { given, path, mimeType } = await prepare("theora.ogv", ["-c:v", "libtheora", "-c:a", "libvorbis"]);
  expect(mimeType).toBe("video/mp4");
  const sent = await measure(path, { maxVideoSeconds: 600, confinement });
  expect(sent).toMatchObject({ container: "mp4", videoCodec: "h264", audioCodec: "aac" });
  expect(Math.abs(sent.durationMs - given.durationMs)).toBeLessThan(100);
});

test("sound that MP4 cannot hold is encoded, and the picture is copied", async () => {
  const { sent } = await prepare("flac.mkv", ["-c:v", "copy", "-c:a", "flac"]);
  expect(sent).toMatchObject({ container: "mp4", videoCodec: "h264", audioCodec: "aac" });
});

test("a large picture is scaled down if it has to be encoded", async () => {
  const { sent } = await prepare("large.mkv", ["-vf", "scale=2000:1000", "-c:v", "ffv1", "-t", "0.2"]);
  expect(sent).toMatchObject({ videoCodec: "h264", width: 1280, height: 640 });
});

// The recordings joined byte by byte take the same steps.
test.runIf(runsAllTests)("a broadcast with jumping time stamps is sent at its measured length", async () => {
  const parts = [];
  for (const [index, offset] of ["0", "5000", "100"].entries()) {
    const part = join(folder, `part-${index}.ts`);
    await ffmpeg(["-i", "sample.mp4", "-c", "copy", "-output_ts_offset", offset, part], folder);
    parts.push(await readFile(part));
  }
  const path = join(folder, "jumps.ts");
  await writeFile(path, Buffer.concat(parts));
  const { given, sent } = await prepareFile(path);
  expect(given.durationMs).toBeGreaterThan(11_900);
  expect(Math.abs(sent.durationMs - given.durationMs)).toBeLessThan(500);
});

test("of several picture streams the measured one is sent, although another has the same codec", async () => {
  const single = ["-f", "lavfi", "-i", "color=red:size=64x48:duration=0.04", "-map", "1:v", "-map", "0"];
  const { given, sent } = await prepare("single-first.mkv", [...single, "-c:v:0", "libx264", "-c:a", "copy"]);
  expect(given).toMatchObject({ width: 160, timedStreams: [0, 1, 2], copyStreams: [1, 2] });
  expect(sent).toMatchObject({ width: 160, audioCodec: "aac", timedStreams: [0, 1] });
});

test("sound of an unknown codec is left out; other sound is sent", async () => {
  const { sent } = await prepareWithUnknownSound("unknown.mkv", ["-map", "0", "-c", "copy"]);
  expect(sent).toMatchObject({ videoCodec: "h264", audioCodec: null, timedStreams: [0] });
  const both = ["-map", "0", "-map", "0:a", "-c:v", "copy", "-c:a:0", "copy", "-c:a:1", "libmp3lame"];
  const { given, sent: sentToo } = await prepareWithUnknownSound("unknown-first.mkv", both);
  expect(given).toMatchObject({ audioCodec: "mp3", copyStreams: [0, 2] });
  expect(sentToo).toMatchObject({ videoCodec: "h264", audioCodec: "mp3", timedStreams: [0, 1] });
});

async function prepareWithUnknownSound(name: string, args: readonly string[]): Promise<Prepared> {
  const path = join(folder, name);
  await ffmpeg(["-i", "sample.mp4", ...args, path], folder);
  const file = await readFile(path);
  file.write("A_XYZ", file.indexOf("A_AAC"), "latin1");
  await writeFile(path, file);
  return prepareFile(path);
}

const longer: [string, string[]][] = [
  ["sound", ["-f", "lavfi", "-i", "sine=duration=7", "-map", "0", "-map", "1", "-c:v", "copy"]],
  ["picture", ["-f", "lavfi", "-i", "testsrc=size=64x48:duration=7", "-map", "0", "-map", "1", "-c:v", "libx264"]],
];

test.each(gateCases(longer, ["sound"], runsAllTests))(
  "a second %s stream that makes the video longer is sent too",
  async (kind, args) => {
    const { given, sent } = await prepare(`longer-${kind}.mkv`, args);
    expect(given.durationMs).toBeGreaterThan(6900);
    expect(Math.abs(sent.durationMs - given.durationMs)).toBeLessThan(200);
  },
);

test("a second sound stream that adds no length is left out", async () => {
  const { given, sent } = await prepare("two-sounds.mkv", ["-map", "0", "-map", "0:a", "-c", "copy"]);
  expect(given.timedStreams).toEqual([0, 1, 2]);
  expect(sent.timedStreams).toEqual([0, 1]);
});

test("two recordings joined byte by byte are sent at their measured length", async () => {
  const path = join(folder, "joined.mkv");
  await writeFile(path, Buffer.concat([await readFile(matroska), await readFile(matroska)]));
  const { given, sent } = await prepareFile(path);
  expect(given.durationMs).toBeGreaterThan(7900);
  expect(Math.abs(sent.durationMs - given.durationMs)).toBeLessThan(200);
});

test("a video whose copy would be shorter is refused, and no file stays", async () => {
  const scratch = join(folder, "shorter-scratch");
  await mkdir(scratch);
  const given = { ...measuredMatroska, durationMs: 9000 };
  const refused = await prepareForProvider(matroska, given, {
    readable: readableMedia,
    scratchDir: scratch,
    confinement,
  }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "media_unreadable", message: expect.stringContaining("whole length") });
  expect(await readdir(scratch)).toEqual([]);
});

test("a part that an edit list hides is neither billed nor sent", async () => {
  const file = await readFile(sample);
  for (let at = file.indexOf("elst"); at >= 0; at = file.indexOf("elst", at + 4)) file.writeUInt32BE(1500, at + 12);
  const path = join(folder, "hidden.mp4");
  await writeFile(path, file);
  const { given, sent, asItIs } = await prepareFile(path);
  expect(asItIs).toBe(false);
  expect(given).toMatchObject({ durationMs: 1520, edited: true });
  expect(Math.abs(sent.durationMs - given.durationMs)).toBeLessThan(200);
});

test("a transport stream that declares sound that never comes is a video without sound", async () => {
  const full = join(folder, "full.ts");
  await ffmpeg(["-i", "sample.mp4", "-c", "copy", full], folder);
  const bytes = await readFile(full);
  const packets = Array.from({ length: bytes.length / 188 }, (_, at) => bytes.subarray(at * 188, at * 188 + 188));
  const soundPid = 0x101;
  const silent = packets.filter((packet) => (packet.readUInt16BE(1) & 0x1fff) !== soundPid);
  expect(silent.length).toBeLessThan(packets.length);
  const path = join(folder, "declares-sound.ts");
  await writeFile(path, Buffer.concat(silent));
  const { given, sent, asItIs } = await prepareFile(path);
  expect(given.audioCodec).toBeNull();
  expect(asItIs).toBe(false);
  expect(sent).toMatchObject({ container: "mp4", audioCodec: null });
  expect(Math.abs(sent.durationMs - given.durationMs)).toBeLessThan(200);
});

const chapters: [string, string[]][] = [
  ["picture", ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=9", "-map", "0:v", "-map", "1"]],
  ["sound", ["-f", "lavfi", "-i", "sine=duration=9", "-map", "0:v", "-map", "1"]],
];

test.each(gateCases(chapters, ["picture"], runsAllTests))(
  "a long %s stream declared as chapters is not billed, so it is not sent",
  async (kind, args) => {
    const path = join(folder, `chapters-${kind}.mp4`);
    await ffmpeg(["-i", "sample.mp4", ...args, path], folder);
    const second = box("chap", Buffer.from([0, 0, 0, 2]));
    const named = putBox(await readFile(path), "moov/trak", (old) => Buffer.concat([old, box("tref", second)]));
    await writeFile(path, named);
    const { given, sent, asItIs } = await prepareFile(path);
    expect(given).toMatchObject({ durationMs: 4000, timedStreams: [0] });
    expect(asItIs).toBe(false);
    expect(sent).toMatchObject({ durationMs: 4000, timedStreams: [0], uncounted: false });
  },
);

test("an MP4 with a cover and text chapters is sent unchanged", async () => {
  const cover = join(folder, "cover.png");
  const chapters = join(folder, "chapters.txt");
  await ffmpeg(["-i", "sample.mp4", "-frames:v", "1", cover], folder);
  await writeFile(chapters, ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=2\ntitle=One\n");
  const args = ["-i", "cover.png", "-i", "chapters.txt", "-map", "0", "-map", "1", "-map_chapters", "2", "-c", "copy"];
  const { given, asItIs } = await prepare("cover.mp4", [...args, "-disposition:v:1", "attached_pic"]);
  expect(given).toMatchObject({ durationMs: 4000, timedStreams: [0, 1] });
  expect(asItIs).toBe(true);
});

/** One second of pictures, larger than the part of a file that is read to find its streams. */
const large = ["-f", "lavfi", "-i", "color=gray:size=640x480:duration=1,noise=alls=100:allf=t"];
/** Without loss. The provider reads this codec, so a copy of the pictures takes no time. */
const fine = ["-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-bf", "0"];

test("a file whose only sound begins too late to be found is refused", async () => {
  const path = join(folder, "late.flv");
  const sound = ["-itsoffset", "0.9", "-f", "lavfi", "-i", "sine=duration=9"];
  await ffmpeg([...large, ...sound, ...fine, "-c:a", "mp3", path], folder);
  const file = await readFile(path);
  const [, ...tags] = flvTags(file);
  // The file ends with a picture, because ffmpeg uses the last time stamp as the length.
  const last = tags.findLast((tag) => tag[0] === videoTag);
  const reordered = [...tags.filter((tag) => tag !== last), ...(last ? [last] : [])];
  await writeFile(path, Buffer.concat([file.subarray(0, flvHeaderBytes), ...reordered]));
  const scratch = await mkdtemp(join(folder, "scratch-"));
  const given = await measure(path, { maxVideoSeconds: 600, confinement });
  expect(given).toMatchObject({ durationMs: 1000, audioCodec: null, uncounted: true });
  const refused = await prepareForProvider(path, given, {
    readable: readableMedia,
    scratchDir: scratch,
    confinement,
  }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "media_unreadable", message: expect.stringContaining("begins too late") });
  expect(await readdir(scratch)).toEqual([]);
});

test("captions that begin late in the file are left out, and the video is sent", async () => {
  const path = join(folder, "captions.flv");
  const sound = ["-f", "lavfi", "-i", "sine=duration=1"];
  await ffmpeg([...large, ...sound, ...fine, "-c:a", "mp3", path], folder);
  const file = await readFile(path);
  const end = file.length - (flvTags(file).at(-1)?.length ?? 0);
  await writeFile(path, Buffer.concat([file.subarray(0, end), flvCaption("Hello"), file.subarray(end)]));
  const { given, sent, asItIs } = await prepareFile(path);
  expect(given).toMatchObject({ audioCodec: "mp3", timedStreams: [0, 1], uncounted: true });
  expect(asItIs).toBe(false);
  expect(sent.timedStreams).toEqual([0, 1]);
  expect(Math.abs(sent.durationMs - given.durationMs)).toBeLessThan(100);
});

test("a copy that grows far beyond its source is aborted, and the video is encoded", async () => {
  const still = join(folder, "still.jpg");
  const noise = "color=gray:size=640x480,noise=alls=100";
  await ffmpeg(["-f", "lavfi", "-i", noise, "-frames:v", "1", "-q:v", "1", still], folder);
  const picture = { codec: "V_MJPEG", width: 640, height: 480, bytes: await readFile(still) };
  const path = join(folder, "swelling.mkv");
  await writeFile(path, samePictures(picture, 10, picture.bytes.length - 1));
  const given: MeasuredVideo = {
    ...{ durationMs: 50, container: "matroska", mimeType: "video/x-matroska", videoCodec: "mjpeg", audioCodec: null },
    ...{ width: 640, height: 480, timedStreams: [0], copyStreams: [0], uncounted: false, edited: false },
    ...{ late: false, padded: false, packetBytes: 10 * picture.bytes.length, pixels: 10 * 640 * 480 },
  };
  const scratchDir = await mkdtemp(join(folder, "scratch-"));
  const sent = await prepareForProvider(path, given, { readable: readableMedia, scratchDir, confinement });
  expect((await readHeader(sent.path, { confinement })).streams).toMatchObject([{ codec: "h264" }]);
});

const late: [string, string[]][] = [
  ["mp4", []],
  ["mkv", []],
  ["webm", ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"]],
];

test.each(gateCases(late, ["mp4"], runsAllTests))(
  "a video in %s that begins a day late is sent without the blank stretch before it",
  async (ending, codecs) => {
    const late = ["-c", "copy", ...codecs, "-output_ts_offset", "86000"];
    const { given, sent, asItIs } = await prepare(`late.${ending}`, late);
    expect(given).toMatchObject({ late: true });
    expect(asItIs).toBe(false);
    expect(sent).toMatchObject({ late: false });
    expect(Math.abs(sent.durationMs - given.durationMs)).toBeLessThan(100);
  },
);

test("padding behind a video is not sent", async () => {
  const path = join(folder, "padded.mp4");
  await cp(sample, path);
  await truncate(path, 2 * 1024 ** 3);
  const { given, path: sentPath, asItIs } = await prepareFile(path);
  expect(given).toMatchObject({ durationMs: 4000, padded: true });
  expect(asItIs).toBe(false);
  const sent = await measure(sentPath, { maxVideoSeconds: 600, confinement });
  expect(sent).toMatchObject({ durationMs: 4000, padded: false });
});

test("a video with too many pixels for its conversion is refused before it is converted", async () => {
  const small = join(folder, "few-pictures.mov");
  const color = (size: string) => ["-f", "lavfi", "-i", `color=size=${size}:rate=290:duration=0.01`, "-c:v", "qtrle"];
  await ffmpeg([...color("4000x4000"), small], folder);
  const path = join(folder, "many-pictures.mov");
  await writeFile(path, withEqualPictures(await readFile(small), 20_000));
  const given = await measure(path, { maxVideoSeconds: 600, confinement });
  expect(given).toMatchObject({ videoCodec: "qtrle", pixels: 4000 * 4000 * 20_001 });
  const scratchDir = await mkdtemp(join(folder, "scratch-"));
  const began = performance.now();
  await expect(
    prepareForProvider(path, given, { readable: readableMedia, scratchDir, confinement }),
  ).rejects.toMatchObject({ code: "media_unreadable", message: expect.stringContaining("4000 × 4000") });
  expect(performance.now() - began).toBeLessThan(5000);
  // Exactly the limit. The test passes the pixels instead of measuring them.
  const tiny = join(folder, "tiny.mov");
  await ffmpeg([...color("64x48"), tiny], folder);
  const measured = await measure(tiny, { maxVideoSeconds: 600, confinement });
  const refused = (pixels: number) =>
    prepareForProvider(tiny, { ...measured, pixels }, { readable: readableMedia, scratchDir, confinement }).then(
      () => false,
      ({ message }) => message.includes("too many pictures"),
    );
  expect([await refused(300e9 + 1), await refused(300e9)]).toEqual([true, false]);
});

/** Returns a copy of a QuickTime file that shows its first picture, followed by `count` packets that change nothing. */
function withEqualPictures(file: Buffer, count: number): Buffer {
  const table = "moov/trak/mdia/minf/stbl";
  const numbers = (...values: readonly number[]) => Buffer.from(Uint32Array.from(values).buffer).swap32();
  const unchanged = numbers(8, 0);
  let first: Buffer = Buffer.alloc(0);
  changeBoxes(file, `${table}/stco`, (content) => {
    first = file.subarray(content.readUInt32BE(8));
  });
  changeBoxes(file, `${table}/stsz`, (content) => {
    first = first.subarray(0, content.readUInt32BE(4) || content.readUInt32BE(12));
  });
  const sizes = Buffer.concat([numbers(0, 0, count + 1, first.length), Buffer.alloc(4 * count, numbers(8))]);
  const times = numbers(0, 1, count + 1, ticksOf(file));
  const chunk = numbers(0, 1, 1, count + 1, 1);
  const changes = [
    ["stsz", sizes],
    ["stts", times],
    ["stsc", chunk],
    ["stco", numbers(0, 1, 0)],
  ] as const;
  const changed = changes.reduce((old, [name, content]) => putBox(old, `${table}/${name}`, () => content), file);
  changed.write("free", changed.indexOf("edts"), "latin1");
  const placed = changeBoxes(changed, `${table}/stco`, numbersAt(8, [changed.length + 8]));
  return Buffer.concat([placed, box("mdat", Buffer.concat([first, Buffer.alloc(count * 8, unchanged)]))]);
}

/** Returns the time step of the pictures. */
function ticksOf(file: Buffer): number {
  let ticks = 0;
  changeBoxes(file, "moov/trak/mdia/minf/stbl/stts", (content) => {
    ticks = content.readUInt32BE(12);
  });
  return ticks;
}

test("a file that is larger than the provider takes is refused", async () => {
  const scratchDir = await mkdtemp(join(folder, "scratch-"));
  const readable = { ...readableMedia, maxFileBytes: 1000 };
  const refused = prepareForProvider(sample, measuredSample, { readable, scratchDir, confinement });
  await expect(refused).rejects.toMatchObject({ code: "file_too_large" });
});

test("a video that cannot be converted is refused, and no file stays", async () => {
  const scratch = join(folder, "empty-scratch");
  await mkdir(scratch);
  const path = join(folder, "broken.mkv");
  await writeFile(path, (await readFile(matroska)).subarray(0, 300));
  await expect(
    prepareForProvider(path, measuredMatroska, { readable: readableMedia, scratchDir: scratch, confinement }),
  ).rejects.toMatchObject({ code: "media_unreadable" });
  expect(await readdir(scratch)).toEqual([]);
});

test("an abort rejects with its reason, and no file stays", async () => {
  const scratch = join(folder, "aborted-scratch");
  await mkdir(scratch);
  const reason = new Error("the worker stops");
  const options = { readable: readableMedia, scratchDir: scratch, confinement, signal: AbortSignal.abort(reason) };
  await expect(prepareForProvider(sample, measuredSample, options)).rejects.toBe(reason);
  expect(await readdir(scratch)).toEqual([]);
});
