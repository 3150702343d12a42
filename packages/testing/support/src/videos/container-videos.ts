import { aac, both, copyOf, type EncodedVideo, h264, lasts, picture, tone } from "./encoding.ts";

/** A valid video in each container and codec that callers send. */
export const containerVideos: readonly EncodedVideo[] = [
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
