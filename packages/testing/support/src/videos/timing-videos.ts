import { aac, copyOf, type EncodedVideo, h264, lasts, picture, tone, tooLong } from "./encoding.ts";

const chapterText = ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=60\ntitle=All\n";
const chapters = `data:text/plain;base64,${Buffer.from(chapterText).toString("base64")}`;

/** Videos whose length is easily measured wrong. Some are made from files of container-videos.ts. */
export const timingVideos: readonly EncodedVideo[] = [
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
    // A minute of packets that last 60 times as long: an hour of sound takes seconds to encode.
    args: [
      ...[...picture(1), "-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "60", ...h264, ...aac],
      ...["-bsf:a", "setts=ts=TS*60:duration=DURATION*60"],
    ],
    expect: tooLong,
  },
];
