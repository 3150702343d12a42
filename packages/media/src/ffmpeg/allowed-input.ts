/**
 * Returns the options that limit an input to the allowed protocols, containers and codecs. ffmpeg refuses everything
 * else before it reads it: playlists and manifests open other files, images and animations are not videos, and rare
 * decoders have most of the memory errors. The names differ between builds (`libdav1d` or `av1`), so the list holds all
 * usual decoders of a codec. ffmpeg ignores names that it does not know.
 */
export function allowedInputOptions(): string[] {
  return [
    ...["-protocol_whitelist", "file"],
    ...["-format_whitelist", allowedFormats.join(",")],
    ...["-codec_whitelist", allowedDecoders.join(",")],
    ...["-max_streams", "100"],
    ...["-probesize", "10M", "-analyzeduration", "10M"],
    // 8K has 33 million pixels. A decompression bomb declares hundreds of millions.
    ...["-max_pixels", "40000000"],
  ];
}

/** ffmpeg's names of the containers that it may read. */
export const allowedFormats: readonly string[] = [
  "mov",
  "matroska",
  "webm",
  "avi",
  "mpegts",
  "mpeg",
  "flv",
  "ogg",
  "asf",
];

const videoDecoders = [
  ...["h264", "hevc", "vvc", "libvvdec", "av1", "libdav1d", "libaom-av1", "libgav1"],
  ...["vp8", "libvpx", "vp9", "libvpx-vp9", "vp6", "vp6f", "vp6a", "theora", "vp3"],
  ...["mpeg4", "mpeg2video", "mpeg1video", "mpegvideo", "h261", "h263", "h263i", "h263p", "flv", "flashsv", "flashsv2"],
  ...["msmpeg4v1", "msmpeg4v2", "msmpeg4", "wmv1", "wmv2", "wmv3", "wmv3image", "vc1", "vc1image"],
  ...["mjpeg", "mjpegb", "prores", "dnxhd", "cfhd", "dvvideo", "hap", "apv", "ffv1", "huffyuv", "ffvhuff", "utvideo"],
  ...["rawvideo", "v210", "v308", "v408", "v410", "yuv4", "magicyuv", "lagarith", "snow", "dirac", "cinepak", "svq1"],
  ...["svq3", "qtrle", "rpza", "smc", "8bps", "jpeg2000", "libopenjpeg", "msvideo1", "msrle", "zmbv", "tscc", "tscc2"],
  // Images: real videos contain cover art and chapter images.
  ...["png", "bmp", "tiff", "webp", "gif"],
];

const audioDecoders = [
  ...["aac", "aac_fixed", "libfdk_aac", "aac_at", "aac_latm", "mp3float", "mp3", "mp3_at", "mp3adufloat", "mp3adu"],
  ...["mp3on4float", "mp3on4", "mp2float", "mp2", "mp1float", "mp1", "opus", "libopus", "vorbis", "libvorbis"],
  ...["flac", "alac", "alac_at", "ac3", "ac3_fixed", "ac3_at", "eac3", "eac3_at", "ac4", "dca", "truehd", "mlp"],
  ...["amrnb", "amrwb", "libopencore_amrnb", "libopencore_amrwb", "qcelp", "gsm", "gsm_ms", "libgsm", "libgsm_ms"],
  ...["wmav1", "wmav2", "wmapro", "wmalossless", "wmavoice", "speex", "libspeex", "nellymoser", "adpcm_swf", "wavpack"],
  ...["adpcm_ms", "adpcm_ima_wav", "adpcm_ima_qt", "adpcm_yamaha", "g722", "g723_1", "g726", "g726le", "ilbc", "als"],
  ...["qdm2", "qdmc", "mace3", "mace6", "s302m", "tta", "pcm_alaw", "pcm_mulaw", "pcm_bluray", "pcm_dvd", "pcm_lxf"],
  ...["pcm_s8", "pcm_s8_planar", "pcm_u8", "pcm_s16be", "pcm_s16le"],
  ...["pcm_s16be_planar", "pcm_s16le_planar", "pcm_u16be", "pcm_u16le"],
  ...["pcm_s24be", "pcm_s24le", "pcm_s24le_planar", "pcm_u24be", "pcm_u24le", "pcm_s24daud", "pcm_s32be", "pcm_s32le"],
  ...["pcm_s32le_planar", "pcm_u32be", "pcm_u32le", "pcm_f16le", "pcm_f24le", "pcm_f32be", "pcm_f32le", "pcm_f64be"],
  ...["pcm_f64le", "pcm_s64be", "pcm_s64le"],
];

// ffmpeg refuses a whole file for one subtitle stream whose decoder is not listed.
const subtitleDecoders = [
  ...["mov_text", "subrip", "srt", "webvtt", "ass", "ssa", "text", "ttml", "stl", "sami", "subviewer", "microdvd"],
  ...["dvbsub", "dvdsub", "pgssub", "xsub", "cc_dec"],
  ...["libzvbi_teletextdec", "libaribb24", "libaribcaption", "realtext"],
];

/** ffmpeg's names of the decoders that it may use. */
export const allowedDecoders: readonly string[] = [...videoDecoders, ...audioDecoders, ...subtitleDecoders];
