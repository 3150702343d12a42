export { FfmpegFailure } from "./ffmpeg/ffmpeg-failure.ts";
export { runFfmpeg } from "./ffmpeg/run-ffmpeg.ts";
