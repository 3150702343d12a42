import { allowedDecoders, allowedFormats } from "./allowed-input.ts";

// Prints the options of ffmpeg's `configure` for a build with only the parts that the product uses.
// ./scripts/build-minimal-ffmpeg calls it.

/** The names of demuxers that differ from those of their containers. */
const demuxers: Record<string, string> = { mpeg: "mpegps", webm: "matroska" };

/** They detect the raw streams inside program and transport streams. A file that is a raw stream stays forbidden. */
const probedDemuxers = [
  ...["aac", "ac3", "dts", "dvbsub", "dvbtxt", "eac3", "h264", "hevc", "loas", "m4v", "mp3", "mpegvideo", "truehd"],
];

/** For pictures that we draw. The list of allowed containers excludes a caller's file of this kind. */
const ownDemuxers = ["rawvideo"];

/** The parsers that split the streams of the allowed codecs into packets. */
const parsers = [
  ...["aac", "aac_latm", "ac3", "av1", "dca", "dirac", "dnxhd", "dvbsub", "dvdsub", "flac", "gsm", "h261", "h263"],
  ...["h264", "hevc", "jpeg2000", "mjpeg", "mlp", "mpeg4video", "mpegaudio", "mpegvideo", "opus", "png", "vc1"],
  ...["vorbis", "vp3", "vp8", "vp9"],
];

/** The filters that convert packets of one container into those of another. */
const packetFilters = [
  ...["aac_adtstoasc", "av1_frame_merge", "av1_frame_split", "extract_extradata"],
  ...["h264_mp4toannexb", "hevc_mp4toannexb"],
  ...["mpeg4_unpack_bframes", "null", "vp9_raw_reorder", "vp9_superframe", "vp9_superframe_split"],
];

/**
 * For an encoded copy, and for pictures: the picture is rotated as it is displayed, and scaled; the sound is mixed. For a part: fewer
 * pictures, and the last one up to its end. For a clip of the second look: a clock below, and its cuts and silences.
 */
const filters = [
  ...["scale", "format", "null", "transpose", "hflip", "vflip", "rotate", "aresample", "aformat", "anull", "trim"],
  ...["atrim", "fps", "tpad", "pad", "overlay", "scdet", "silencedetect"],
  // For a frame whose text is read.
  "lut",
];

const enabled: Record<string, readonly string[]> = {
  protocol: ["file", "pipe"],
  demuxer: [...new Set(allowedFormats.map((format) => demuxers[format] ?? format)), ...probedDemuxers, ...ownDemuxers],
  decoder: allowedDecoders,
  parser: parsers,
  bsf: packetFilters,
  muxer: ["mp4", "webm", "framecrc", "image2pipe"],
  encoder: ["libx264", "libvpx_vp8", "aac", "libopus", "rawvideo", "pgm", "mjpeg"],
  filter: filters,
};

const flags = [
  ...["--disable-everything", "--disable-autodetect", "--disable-doc", "--disable-debug", "--disable-network"],
  ...["--disable-avdevice", "--disable-ffplay", "--enable-gpl", "--enable-static", "--disable-shared"],
  ...["--enable-zlib", "--enable-libdav1d", "--enable-libx264", "--enable-libvpx", "--enable-libopus"],
  ...Object.entries(enabled).flatMap(([kind, names]) => names.map((name) => `--enable-${kind}=${name}`)),
];
process.stdout.write(`${flags.join("\n")}\n`);
