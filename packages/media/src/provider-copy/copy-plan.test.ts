import { expect, test } from "vitest";
import type { MeasuredVideo } from "../measure/measure.ts";
import { readableMedia } from "./copies.harness.ts";
import { isReadable, planCopy, planEncode, type ReadableMedia } from "./copy-plan.ts";

const readsWebm: ReadableMedia = { containers: { webm: ["opus"] }, videoCodecs: ["vp8", "vp9"], maxFileBytes: 1e9 };

function planFor(
  container: string,
  videoCodec: string,
  audioCodec: string | null,
  { readable = readableMedia, ...changed }: Partial<MeasuredVideo> & { readable?: ReadableMedia } = {},
): string {
  const video: MeasuredVideo = {
    ...{ durationMs: 5000, mimeType: "video/x", width: 64, height: 48 },
    ...{ container, videoCodec, audioCodec, timedStreams: [0, 1], copyStreams: [0, 1] },
    ...{ uncounted: false, edited: false, late: false, padded: false, packetBytes: 1e6, pixels: 64 * 48 * 125 },
    ...changed,
  };
  if (isReadable(video, readable)) return "as it is";
  const plan = planCopy(video, readable);
  return `${plan.container}: ${plan.video} ${plan.audio}`;
}

test.each([
  ["mp4", "h264", "aac"],
  ["mov", "prores", "pcm_s16le"],
  ["webm", "vp8", "vorbis"],
  ["avi", "mjpeg", null],
  ["asf", "wmv3", "wmav2"],
])("%s with %s and %s is sent unchanged", (container, video, audio) => {
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

test.each([
  ["webm", "vp8", "opus", "as it is"],
  ["webm", "vp8", null, "as it is"],
  ["webm", "vp8", "vorbis", "webm: copy encode"],
  ["webm", "av1", "opus", "webm: encode copy"],
  ["matroska", "vp9", "opus", "webm: copy copy"],
  ["mp4", "h264", "aac", "webm: encode encode"],
])("for a provider that reads only WebM, %s with %s and %s becomes %s", (container, video, audio, plan) => {
  expect(planFor(container, video, audio, { readable: readsWebm })).toBe(plan);
});

test("a file with streams that were not billed is never sent unchanged", () => {
  expect(planFor("mp4", "h264", "aac", { uncounted: true })).toBe("mp4: copy copy");
  expect(planFor("mp4", "h264", "aac", { edited: true })).toBe("mp4: copy copy");
  expect(planFor("mp4", "h264", "aac", { late: true })).toBe("mp4: copy copy");
  expect(planFor("mp4", "h264", "aac", { padded: true })).toBe("mp4: copy copy");
  expect(planFor("webm", "vp8", "vorbis", { uncounted: true })).toBe("webm: copy copy");
});

test("streams that cannot be copied are encoded for a container that the provider reads", () => {
  expect(planEncode(readableMedia)).toMatchObject({ container: "mp4", video: "encode", audio: "encode" });
  expect(planEncode(readsWebm)).toMatchObject({ container: "webm", video: "encode", audio: "encode" });
});

test("a provider that reads no container that we write is a programming error", () => {
  expect(() => planEncode({ ...readsWebm, containers: { avi: "any" } })).toThrow("The provider reads neither");
});
