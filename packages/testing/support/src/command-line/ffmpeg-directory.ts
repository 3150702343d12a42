/** The directory of a minimal ffmpeg, which `./scripts/setup` sets if there is one. Undefined for that on `PATH`. */
export const ffmpegDirectory = process.env.FFMPEG_DIRECTORY;
