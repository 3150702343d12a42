/** The directory of a minimal ffmpeg, which `./scripts/setup` sets if it was built. Undefined: ffmpeg is on `PATH`. */
export const ffmpegDirectory = process.env.FFMPEG_DIRECTORY;
