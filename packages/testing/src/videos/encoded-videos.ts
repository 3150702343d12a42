import type { TrickyExpectation } from "./tricky-videos.ts";

/** A file that ffmpeg writes as it is wanted, from these arguments; later ones may read earlier ones. */
export type EncodedVideo = {
  name: string;
  file: string;
  args: readonly string[];
  /** Left out where this encoder is missing. */
  encoder?: string;
  expect: TrickyExpectation;
};

const unreadable = { ok: false, code: "media_unreadable" } as const;
const tooLong = { ok: false, code: "video_too_long" } as const;

function lasts(seconds: number, toleranceMs = 120): TrickyExpectation {
  return { ok: true, durationMs: seconds * 1000, toleranceMs };
}

function picture(seconds: number, size = "64x48", rate: number | string = 10): string[] {
  return ["-f", "lavfi", "-i", `testsrc=size=${size}:rate=${rate}:duration=${seconds}`];
}

function tone(seconds: number): string[] {
  return ["-f", "lavfi", "-i", `sine=duration=${seconds}`];
}

const h264 = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "10"];
const aac = ["-c:a", "aac"];
const both = [...picture(5), ...tone(5)];
const copyOf = (file: string) => ["-i", file, "-map", "0", "-c", "copy"];

const chapterText = ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=60\ntitle=All\n";
const chapters = `data:text/plain;base64,${Buffer.from(chapterText).toString("base64")}`;
const captionText = "1\n00:00:00,000 --> 00:00:40,000\nHello\n";
const captions = `data:text/plain;base64,${Buffer.from(captionText).toString("base64")}`;

const containers: readonly EncodedVideo[] = [
  { name: "plain MP4", file: "plain.mp4", args: [...both, ...h264, ...aac], expect: lasts(5) },
  { name: "QuickTime", file: "plain.mov", args: copyOf("plain.mp4"), expect: lasts(5) },
  { name: "Matroska", file: "plain.mkv", args: copyOf("plain.mp4"), expect: lasts(5) },
  { name: "Flash", file: "plain.flv", args: copyOf("plain.mp4"), expect: lasts(5) },
  { name: "transport stream", file: "plain.ts", args: copyOf("plain.mp4"), expect: lasts(5) },
  {
    name: "transport stream of a disc",
    file: "disc.m2ts",
    args: [...copyOf("plain.mp4"), "-mpegts_m2ts_mode", "1"],
    expect: lasts(5),
  },
  { name: "AVI", file: "plain.avi", args: [...both, "-c:v", "mpeg4", "-c:a", "mp2"], expect: lasts(5) },
  {
    name: "programme stream",
    file: "plain.mpg",
    args: [...picture(5, "64x48", 25), ...tone(5), "-c:v", "mpeg2video", "-c:a", "mp2"],
    expect: lasts(5),
  },
  { name: "Windows Media", file: "plain.wmv", args: [...both, "-c:v", "wmv2", "-c:a", "wmav2"], expect: lasts(5, 250) },
  {
    name: "WebM with VP8",
    file: "plain.webm",
    args: [...both, "-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus"],
    encoder: "libvpx",
    expect: lasts(5),
  },
  {
    name: "WebM with VP9",
    file: "vp9.webm",
    args: [...picture(5), "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
    encoder: "libvpx-vp9",
    expect: lasts(5),
  },
  {
    name: "Ogg with Theora",
    file: "plain.ogv",
    args: [...both, "-c:v", "libtheora", "-c:a", "libvorbis"],
    encoder: "libtheora",
    expect: lasts(5),
  },
  {
    name: "3GP of an old telephone",
    file: "telephone.3gp",
    args: [...picture(5, "176x144"), ...tone(5), "-c:v", "h263", ...aac],
    expect: lasts(5),
  },
  {
    name: "ProRes with a timecode track",
    file: "prores.mov",
    args: [...both, "-c:v", "prores_ks", "-c:a", "pcm_s16le", "-timecode", "01:00:00:00"],
    expect: lasts(5),
  },
  {
    name: "HEVC",
    file: "hevc.mp4",
    args: [...picture(5), "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"],
    encoder: "libx265",
    expect: lasts(5),
  },
  {
    name: "AV1",
    file: "av1.mp4",
    args: [...picture(2), "-c:v", "libaom-av1", "-cpu-used", "8"],
    encoder: "libaom-av1",
    expect: lasts(2),
  },
  { name: "motion JPEG", file: "mjpeg.avi", args: [...picture(5), "-c:v", "mjpeg"], expect: lasts(5) },
  { name: "lossless FFV1", file: "ffv1.mkv", args: [...picture(5), "-c:v", "ffv1"], expect: lasts(5) },
];

const timing: readonly EncodedVideo[] = [
  { name: "without sound", file: "silent.mp4", args: [...picture(5), ...h264], expect: lasts(5) },
  {
    name: "header first",
    file: "header-first.mp4",
    args: [...copyOf("plain.mp4"), "-movflags", "+faststart"],
    expect: lasts(5),
  },
  {
    name: "a gap of eighteen seconds between two pictures",
    file: "gap.mp4",
    args: [...picture(5), "-vf", "setpts='if(lt(N,20),N,N+180)/10/TB'", "-fps_mode", "vfr", ...h264],
    expect: lasts(23),
  },
  {
    name: "a last picture that stays for six seconds",
    file: "long-last-picture.mp4",
    args: [
      "-i",
      "plain.mp4",
      "-map",
      "0:v",
      "-c",
      "copy",
      "-bsf:v",
      "setts=duration='if(eq(N,49),60*DURATION,DURATION)'",
    ],
    expect: lasts(10.9),
  },
  {
    name: "sound longer than the picture",
    file: "long-sound.mp4",
    args: [...picture(3), ...tone(8), ...h264, ...aac],
    expect: lasts(8),
  },
  {
    name: "picture longer than the sound",
    file: "short-sound.mp4",
    args: [...picture(6), ...tone(2), ...h264, ...aac],
    expect: lasts(6),
  },
  {
    name: "sound that starts late",
    file: "late-sound.mkv",
    args: [...picture(3), "-itsoffset", "4", ...tone(3), ...h264, ...aac],
    expect: lasts(7),
  },
  {
    name: "a second picture track that is longer",
    file: "second-picture.mp4",
    args: [...picture(3), ...picture(7), "-map", "0", "-map", "1", ...h264],
    expect: lasts(7),
  },
  {
    name: "forty sound tracks",
    file: "many-tracks.mp4",
    args: ["-i", "plain.mp4", "-map", "0:v", ...Array.from({ length: 40 }, () => ["-map", "0:a"]).flat(), "-c", "copy"],
    expect: lasts(5),
  },
  { name: "two pictures only", file: "two-pictures.mp4", args: [...picture(0.2), ...h264], expect: lasts(0.2, 20) },
  {
    name: "240 pictures a second",
    file: "slow-motion.mp4",
    args: [...picture(2, "64x48", 240), ...h264],
    expect: lasts(2),
  },
  {
    name: "time stamps that start at an hour",
    file: "late-start.ts",
    args: [...copyOf("plain.mp4"), "-output_ts_offset", "3600"],
    expect: lasts(5),
  },
  {
    name: "time stamps that wrap around",
    file: "wrap.ts",
    args: [...copyOf("plain.mp4"), "-output_ts_offset", "95440"],
    expect: lasts(5),
  },
  {
    name: "nine tenths of a second of a transport stream",
    file: "piece.ts",
    args: [...picture(0.9), ...tone(0.9), ...h264, ...aac],
    expect: lasts(0.9, 60),
  },
  {
    name: "nine tenths of a second of a programme stream",
    file: "piece.mpg",
    args: [...picture(0.9, "64x48", 30), "-c:v", "mpeg2video"],
    expect: lasts(0.9, 20),
  },
  ...["plain.mp4", "plain.mkv", "plain.mov", "plain.wmv"].map(
    (from): EncodedVideo => ({
      name: `a clock that starts at ten seconds, ${from}`,
      file: `from-ten-${from}`,
      args: [...copyOf(from), "-output_ts_offset", "10"],
      expect: lasts(5, 250),
    }),
  ),
  {
    name: "the second piece of a recording, with the clock of the whole",
    file: "second-piece.webm",
    args: [...copyOf("plain.webm"), "-output_ts_offset", "600"],
    encoder: "libvpx",
    expect: lasts(5),
  },
  {
    name: "a picture a minute",
    file: "slides.mkv",
    args: [...picture(300, "64x48", "1/60"), ...h264],
    expect: lasts(300),
  },
  {
    name: "two pictures in a day",
    file: "day.mp4",
    args: [...picture(86_400, "64x48", "1/43200"), ...h264, "-bf", "0"],
    expect: tooLong,
  },
  {
    name: "a programme stream of three seconds, ten pictures a second",
    file: "ten-a-second.mpg",
    args: [...picture(3, "96x64"), "-c:v", "mpeg2video"],
    expect: lasts(3, 10),
  },
  {
    name: "an AVI that was written without coming back to its header",
    file: "streamed.avi",
    args: [...picture(5), ...tone(5), "-c:v", "mpeg4", "-c:a", "mp2", "-seekable", "0"],
    expect: lasts(5),
  },
  {
    name: "a chapter that ends long after the video",
    file: "long-chapter.mp4",
    args: ["-i", "plain.mp4", "-f", "ffmetadata", "-i", chapters, "-map", "0", "-map_chapters", "1", "-c", "copy"],
    expect: lasts(5),
  },
  {
    name: "a browser's recording, without length or index",
    file: "recording.webm",
    args: [...copyOf("plain.webm"), "-f", "webm", "-live", "1"],
    encoder: "libvpx",
    expect: lasts(5),
  },
  {
    name: "in fragments",
    file: "fragments.mp4",
    args: [...copyOf("plain.mp4"), "-movflags", "frag_keyframe+empty_moov"],
    expect: lasts(5),
  },
  {
    name: "in fragments with an index",
    file: "indexed.mp4",
    args: [...copyOf("plain.mp4"), "-movflags", "dash+global_sidx"],
    expect: lasts(5),
  },
  {
    name: "a fragment for every picture",
    file: "fragment-each.mp4",
    args: [...copyOf("plain.mp4"), "-movflags", "frag_every_frame+empty_moov"],
    expect: lasts(5),
  },
  {
    name: "600.4 s long",
    file: "just-short-enough.mp4",
    args: [...picture(600.4, "16x16", 5), ...h264],
    expect: lasts(600.4),
  },
  { name: "600.6 s long", file: "just-too-long.mp4", args: [...picture(600.6, "16x16", 5), ...h264], expect: tooLong },
  { name: "an hour long", file: "hour.mkv", args: [...picture(3600, "16x16", 1), ...h264], expect: tooLong },
  {
    name: "short, with an hour of sound",
    file: "hour-of-sound.mp4",
    args: [...picture(1), "-f", "lavfi", "-i", "anullsrc=r=8000", "-t", "3600", ...h264, ...aac],
    expect: tooLong,
  },
];

const unusualStreams: readonly EncodedVideo[] = [
  {
    name: "captions longer than the video",
    file: "captions.mp4",
    args: ["-i", "plain.mp4", "-f", "srt", "-i", captions, "-map", "0", "-map", "1", "-c", "copy", "-c:s", "mov_text"],
    expect: lasts(5),
  },
  {
    name: "captions in Matroska longer than the video",
    file: "captions.mkv",
    args: ["-i", "plain.mp4", "-f", "srt", "-i", captions, "-map", "0", "-map", "1", "-c", "copy", "-c:s", "srt"],
    expect: lasts(5),
  },
  { name: "a still image", file: "still.png", args: [...picture(1), "-frames:v", "1"], expect: unreadable },
  {
    name: "a video with cover art",
    file: "cover.mp4",
    args: [
      "-i",
      "plain.mp4",
      "-i",
      "still.png",
      "-map",
      "0",
      "-map",
      "1",
      "-c",
      "copy",
      "-disposition:v:1",
      "attached_pic",
    ],
    expect: lasts(5),
  },
  {
    name: "sound with cover art",
    file: "cover.m4a",
    args: [
      "-i",
      "plain.mp4",
      "-i",
      "still.png",
      "-map",
      "0:a",
      "-map",
      "1",
      "-c",
      "copy",
      "-disposition:v:0",
      "attached_pic",
      "-f",
      "mp4",
    ],
    expect: unreadable,
  },
  { name: "sound only", file: "sound.mp4", args: [...tone(5), ...aac], expect: unreadable },
  { name: "sound only in Matroska", file: "sound.mka", args: [...copyOf("sound.mp4")], expect: unreadable },
  { name: "an MP3", file: "mp3.mp4", args: [...tone(5), "-f", "mp3"], expect: unreadable },
  { name: "a WAV", file: "wav.mp4", args: [...tone(5), "-f", "wav"], expect: unreadable },
  {
    name: "one picture",
    file: "one-picture.mp4",
    args: [...picture(1), "-frames:v", "1", ...h264],
    expect: unreadable,
  },
  {
    name: "one picture for ten seconds under sound",
    file: "one-picture.mkv",
    args: [...picture(0.1), ...tone(10), ...h264, ...aac],
    expect: unreadable,
  },
  { name: "an animated GIF", file: "gif.mp4", args: [...picture(2), "-f", "gif"], expect: unreadable },
  { name: "an animated PNG", file: "apng.mp4", args: [...picture(2), "-f", "apng"], expect: unreadable },
  {
    name: "an animated WebP",
    file: "webp.mp4",
    args: [...picture(1), "-c:v", "libwebp_anim", "-f", "webp"],
    encoder: "libwebp_anim",
    expect: unreadable,
  },
  {
    name: "a JPEG",
    file: "jpeg.mp4",
    args: [...picture(1), "-frames:v", "1", "-c:v", "mjpeg", "-f", "image2pipe"],
    expect: unreadable,
  },
  {
    name: "an AVIF still",
    file: "still.avif",
    args: [...picture(1), "-frames:v", "1", "-c:v", "libaom-av1", "-still-picture", "1", "-cpu-used", "8"],
    encoder: "libaom-av1",
    expect: unreadable,
  },
  {
    name: "a raw H.264 stream",
    file: "raw.mp4",
    args: ["-i", "plain.mp4", "-map", "0:v", "-c", "copy", "-f", "h264"],
    expect: unreadable,
  },
  {
    name: "encrypted",
    file: "encrypted.mp4",
    args: [
      ...copyOf("plain.mp4"),
      "-encryption_scheme",
      "cenc-aes-ctr",
      "-encryption_key",
      "76a6c65c5ea762046bd749a2e632ccbb",
      "-encryption_kid",
      "a7e61c373e219033c21091fa607bf3b8",
    ],
    expect: unreadable,
  },
  {
    name: "pictures of 48 million points",
    file: "huge.mp4",
    args: ["-f", "lavfi", "-i", "color=size=8000x6000:rate=2:duration=1", ...h264],
    expect: unreadable,
  },
];

/** In the order in which they can be made. */
export const encodedVideos: readonly EncodedVideo[] = [...containers, ...timing, ...unusualStreams];
