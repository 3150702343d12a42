export { checkVideoUrl } from "./fetch/check-video-url.ts";
export { fetchVideo } from "./fetch/fetch-video.ts";
export { findConfinement } from "./ffmpeg/confinement.ts";
export { FfmpegFailure } from "./ffmpeg/ffmpeg-failure.ts";
export { runFfmpeg } from "./ffmpeg/run-ffmpeg.ts";
export { type MeasuredVideo, measure } from "./measure/measure.ts";
export { VideoTooLong } from "./measure/video-too-long.ts";
export { readyForModel } from "./model-copy/ready-for-model.ts";
