import { type ChildProcess, execFile } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FfmpegFailure } from "../ffmpeg/ffmpeg-failure.ts";
import { hostileFiles } from "./hostile-files.fixture.ts";
import { measure } from "./measure.ts";
import { readHeader } from "./read-header.ts";

const run = promisify(execFile);
const ffmpeg = (...args: string[]) => run("ffmpeg", ["-v", "error", "-y", "-nostdin", ...args], { cwd: folder });

let folder: string;
const started: ChildProcess[] = [];
const onStart = (message: unknown) => void started.push((message as { process: ChildProcess }).process);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostile-files-"));
  const picture = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=5"];
  const plain = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-bf", "0"];
  await ffmpeg(...picture, "-f", "lavfi", "-i", "sine=duration=5", ...plain, "-c:a", "aac", "plain.mp4");
  await ffmpeg(...picture, ...plain, "silent.mp4");
  await writeFile(join(folder, "hello.srt"), "1\n00:00:00,000 --> 00:00:04,000\nHello\n");
  await ffmpeg("-i", "plain.mp4", "-i", "hello.srt", "-c", "copy", "-c:s", "mov_text", "captions.mp4");
  await ffmpeg("-i", "plain.mp4", "-c", "copy", "-movflags", "+faststart", "header-first.mp4");
  for (const name of ["plain.mkv", "plain.ts"]) await ffmpeg("-i", "plain.mp4", "-c", "copy", name);
  await ffmpeg(...picture, "-c:v", "mpeg4", "plain.avi");
  subscribe("child_process", onStart);
});

afterAll(async () => {
  unsubscribe("child_process", onStart);
  await rm(folder, { recursive: true });
});

/** What measuring gives, and the CPU seconds that it took; every process that it started must be gone by then. */
async function outcomeOf(path: string): Promise<{ outcome: number | string; cpuSeconds: number }> {
  const before = await cpuSecondsOfChildren();
  const outcome = await measure(path, { maxVideoSeconds: 600 }).then(
    ({ durationMs }) => durationMs / 1000,
    (error: { code?: string }) => error.code ?? String(error),
  );
  const left = started.splice(0).filter((child) => child.exitCode === null && child.signalCode === null);
  expect(left).toEqual([]);
  return { outcome, cpuSeconds: (await cpuSecondsOfChildren()) - before };
}

/** What all children used that have ended, as Linux counts it; 0 elsewhere. */
async function cpuSecondsOfChildren(): Promise<number> {
  const state = await readFile("/proc/self/stat", "utf8").catch(() => "");
  const fields = state.slice(state.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / 100;
}

// Two million boxes take 5, and so do packets that swell; all others take less than 1.
const mostCpuSeconds = 25;

test.each(hostileFiles)("%s (made of %s) is measured or refused in time", async (_name, from, make, wanted) => {
  const path = join(folder, "hostile");
  await writeFile(path, make(await readFile(join(folder, from))));
  const names = await readdir(folder);
  const { outcome, cpuSeconds } = await outcomeOf(path);
  if (typeof wanted === "number") expect(outcome).toBeCloseTo(wanted, 0);
  else expect(outcome).toBe(wanted);
  expect(cpuSeconds).toBeLessThan(mostCpuSeconds);
  expect(await readdir(folder)).toEqual(names);
});

const bait = "plain.ts";
const playlists: [string, string][] = [
  ["HLS of a file beside it", `#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\n${bait}\n#EXT-X-ENDLIST\n`],
  ["HLS of a file by its whole path", "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\n@/plain.ts\n#EXT-X-ENDLIST\n"],
  [
    "HLS of a file as an address",
    "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\nfile://@/plain.ts\n#EXT-X-ENDLIST\n",
  ],
  ["HLS of an address", "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n"],
  ["HLS of data", "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\ndata:video/mp2t;base64,AAAA\n#EXT-X-ENDLIST\n"],
  ["HLS of pieces put together", "#EXTM3U\n#EXTINF:5.0,\nconcat:plain.ts|plain.ts\n#EXT-X-ENDLIST\n"],
  [
    "HLS with a key from elsewhere",
    `#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="@/plain.ts"\n#EXTINF:5.0,\n${bait}\n#EXT-X-ENDLIST\n`,
  ],
  [
    "HLS of playlists",
    '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nother.m3u8\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="o.m3u8"\n',
  ],
  ["HLS behind a mark of byte order", `\ufeff#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\n${bait}\n`],
  ["HLS with lines of another system", `#EXTM3U\r\n#EXT-X-TARGETDURATION:5\r\n#EXTINF:5.0,\r\n${bait}\r\n`],
  ["ffconcat", "ffconcat version 1.0\nfile plain.ts\nfile plain.ts\n"],
  ["ffconcat by a whole path", "ffconcat version 1.0\nfile '@/plain.ts'\n"],
  ["ffconcat of an address", "ffconcat version 1.0\nfile http://127.0.0.1:9/a.ts\n"],
  ["ffconcat of data", "ffconcat version 1.0\nfile 'data:video/mp2t;base64,AAAA'\n"],
  ["ffconcat without its first line", "file plain.ts\nfile plain.ts\n"],
  [
    "DASH",
    '<?xml version="1.0"?><MPD type="static" mediaPresentationDuration="PT5S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>plain.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>',
  ],
  [
    "DASH without a declaration",
    "<MPD><Period><AdaptationSet><Representation><BaseURL>@/plain.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>",
  ],
  [
    "SDP",
    "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 5004 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n",
  ],
  [
    "smooth streaming",
    '<?xml version="1.0"?><SmoothStreamingMedia MajorVersion="2" MinorVersion="0" Duration="50000000"/>',
  ],
  ["a list of SMIL", '<smil><body><video src="plain.mp4"/></body></smil>'],
  ["a list of Windows Media", '<asx version="3.0"><entry><ref href="plain.mp4"/></entry></asx>'],
  ["a list of references", "[Reference]\nRef1=http://127.0.0.1:9/plain.wmv\n"],
  ["a list of PLS", "[playlist]\nNumberOfEntries=1\nFile1=plain.mp4\n"],
  [
    "a list of QuickTime",
    '<?xml version="1.0"?><?quicktime type="application/x-quicktime-media-link"?><embed src="plain.mp4"/>',
  ],
  ["a cue sheet", 'FILE "plain.mp4" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n'],
  ["a script of frames", 'AviSource("plain.avi")\n'],
  ["the metadata of ffmpeg", ";FFMETADATA1\ntitle=x\n"],
  ["a session of images", "image2 %03d.png plain.ts\n"],
];
const endings = ["", ".mp4", ".m3u8", ".mpd", ".ffconcat"];

test.each(playlists)(
  "%s is no video, whatever its name, and ffprobe by itself opens nothing of it",
  async (_name, text) => {
    for (const ending of endings) {
      const path = join(folder, `list${ending}`);
      await writeFile(path, text.replaceAll("@", folder));
      await expect(readHeader(path, undefined)).rejects.toBeInstanceOf(FfmpegFailure);
      await rm(path);
    }
    const path = join(folder, "list");
    await writeFile(path, text.replaceAll("@", folder));
    expect((await outcomeOf(path)).outcome).toBe("media_unreadable");
    await rm(path);
  },
);

const moving = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=2"];
const attached = (type: string) => [
  "-attach",
  "hello.srt",
  `-metadata:s:t:${type === "font/ttf" ? 0 : 1}`,
  `mimetype=${type}`,
];
const quick = ["-c:v", "libx264", "-preset", "ultrafast"];
const encoded: [string, string, string[], number | string][] = [
  ["ten bits in H.264", "mp4", [...moving, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le"], 2],
  ["full colour in H.264", "mp4", [...moving, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv444p"], 2],
  [
    "DNxHD in QuickTime",
    "mov",
    [
      "-f",
      "lavfi",
      "-i",
      "testsrc=size=1280x720:rate=25:duration=0.4",
      "-c:v",
      "dnxhd",
      "-b:v",
      "90M",
      "-pix_fmt",
      "yuv422p",
    ],
    0.4,
  ],
  [
    "DV in AVI",
    "avi",
    ["-f", "lavfi", "-i", "testsrc=size=720x576:rate=25:duration=1", "-c:v", "dvvideo", "-pix_fmt", "yuv420p"],
    1,
  ],
  ["MPEG-1", "mpg", ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=2", "-c:v", "mpeg1video"], 2],
  ["MPEG-4 in MP4", "mp4", [...moving, "-c:v", "mpeg4"], 2],
  [
    "480 pictures a second",
    "mp4",
    ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=480:duration=1", ...quick],
    "media_unreadable",
  ],
  ["300 pictures a second", "mp4", ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=300:duration=1", ...quick], 1],
  [
    "a clock that starts below nothing",
    "flv",
    [...moving, ...quick, "-output_ts_offset", "-3", "-avoid_negative_ts", "disabled"],
    2,
  ],
  [
    "a clock below nothing in MP4",
    "mp4",
    [
      ...moving,
      ...quick,
      "-output_ts_offset",
      "-1",
      "-avoid_negative_ts",
      "disabled",
      "-movflags",
      "+negative_cts_offsets",
    ],
    1,
  ],
  ["packets of no length", "mkv", [...moving, ...quick, "-bsf:v", "setts=duration=0"], 2],
  ["all pictures at one moment", "mkv", [...moving, ...quick, "-bsf:v", "setts=pts=0:dts=0"], 0.1],
  ["pictures of changing rate", "mp4", [...moving, "-vf", "setpts='N*N/10/TB/10'", "-fps_mode", "vfr", ...quick], 3.8],
  [
    "a raw HEVC stream",
    "hevc",
    [...moving, "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"],
    "media_unreadable",
  ],
  ["a raw MPEG-4 stream", "bin", [...moving, "-c:v", "mpeg4", "-f", "m4v"], "media_unreadable"],
  ["raw pictures with a head", "y4m", [...moving, "-frames:v", "2", "-pix_fmt", "yuv420p"], "media_unreadable"],
  [
    "MXF",
    "mxf",
    ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=1", "-c:v", "mpeg2video"],
    "media_unreadable",
  ],
  ["NUT", "nut", [...moving, "-c:v", "mpeg4"], "media_unreadable"],
  ["captions alone in MP4", "mp4", ["-i", "hello.srt", "-c:s", "mov_text"], "media_unreadable"],
  ["captions alone in Matroska", "mkv", ["-i", "hello.srt", "-c:s", "srt"], "media_unreadable"],
  [
    "sound under five covers",
    "mkv",
    [
      "-f",
      "lavfi",
      "-i",
      "sine=duration=2",
      ...Array.from({ length: 5 }, () => ["-f", "lavfi", "-i", "color=size=16x16:duration=0.04"]).flat(),
      ...[0, 1, 2, 3, 4, 5].flatMap((n) => ["-map", String(n)]),
      "-frames:v",
      "1",
      "-c:v",
      "png",
      ...[0, 1, 2, 3, 4].flatMap((n) => [`-disposition:v:${n}`, "attached_pic"]),
    ],
    "media_unreadable",
  ],
  [
    "sound under a slide show of one picture in MP4",
    "mp4",
    [
      "-f",
      "lavfi",
      "-i",
      "sine=duration=2",
      "-f",
      "lavfi",
      "-i",
      "color=size=16x16:duration=0.04",
      "-frames:v",
      "1",
      ...quick,
    ],
    "media_unreadable",
  ],
  ["a font and a cover attached", "mkv", [...moving, ...quick, ...attached("font/ttf"), ...attached("image/png")], 2],
  [
    "data beside the pictures of a broadcast",
    "ts",
    [...moving, "-f", "data", "-i", "hello.srt", "-map", "0", "-map", "1", "-c:d", "copy", ...quick],
    2,
  ],
  ["pictures in Flash's own codec", "flv", [...moving, "-c:v", "flv"], 2],
  ["screen pictures in AVI", "avi", [...moving, "-c:v", "zmbv"], 2],
  ["a codec that nobody delivers", "avi", [...moving, "-c:v", "asv1"], "media_unreadable"],
  ["pictures of two points", "mp4", ["-f", "lavfi", "-i", "color=size=2x2:rate=10:duration=1", ...quick], 1],
];

test.each(encoded)("%s (%s) is taken for what it is", async (_name, ending, args, wanted) => {
  const path = join(folder, `encoded.${ending}`);
  await ffmpeg(...args, path);
  const { outcome } = await outcomeOf(path);
  if (typeof wanted === "number") expect(Math.abs(Number(outcome) - wanted), String(outcome)).toBeLessThan(0.15);
  else expect(outcome).toBe(wanted);
  await rm(path);
});
