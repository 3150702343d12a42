import { expect, test } from "vitest";
import type { MeasuredVideo } from "../measure/measure.ts";
import { planCopy } from "./copy-plan.ts";

function planFor(container: string, videoCodec: string, audioCodec: string | null, uncounted = false): string {
  const video: MeasuredVideo = {
    ...{ durationMs: 5000, mimeType: "video/x", width: 64, height: 48 },
    ...{ container, videoCodec, audioCodec, timedStreams: [0, 1], copyStreams: [0, 1], uncounted },
  };
  const plan = planCopy(video);
  return plan ? `${plan.container}: ${plan.video} ${plan.audio}` : "as it is";
}

test.each([
  ["mp4", "h264", "aac"],
  ["mov", "prores", "pcm_s16le"],
  ["webm", "vp8", "vorbis"],
  ["avi", "mjpeg", null],
  ["asf", "wmv3", "wmav2"],
])("%s with %s and %s is sent as it is", (container, video, audio) => {
  expect(planFor(container, video, audio)).toBe("as it is");
});

test.each([
  ["matroska", "h264", "aac", "mp4: copy copy"],
  ["matroska", "h264", null, "mp4: copy copy"],
  ["matroska", "hevc", "vorbis", "mp4: copy encode"],
  ["mpegts", "mpeg2video", "mp2", "mp4: copy copy"],
  ["matroska", "vp8", "opus", "webm: copy copy"],
  ["matroska", "vp8", "aac", "webm: copy encode"],
  ["ogg", "theora", "vorbis", "mp4: encode encode"],
  ["avi", "ffv1", "pcm_s16le", "mp4: encode encode"],
])("%s with %s and %s becomes %s", (container, video, audio, plan) => {
  expect(planFor(container, video, audio)).toBe(plan);
});

test("a file that holds more than was counted is never sent as it is", () => {
  expect(planFor("mp4", "h264", "aac", true)).toBe("mp4: copy copy");
  expect(planFor("webm", "vp8", "vorbis", true)).toBe("webm: copy copy");
});
