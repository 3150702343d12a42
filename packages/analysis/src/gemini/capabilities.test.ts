import { expect, test } from "vitest";
import { geminiCapabilities } from "./capabilities.ts";

const { media } = geminiCapabilities;

test("only containers of Gemini's list count as readable", () => {
  const listed = ["3gp", "asf", "avi", "flv", "mov", "mp4", "mpeg", "webm"];
  expect(Object.keys(media.containers).sort()).toEqual(listed);
  for (const unlisted of ["matroska", "mpegts", "ogg"]) expect(media.containers).not.toHaveProperty(unlisted);
});

test("the codecs that copies are encoded with are readable", () => {
  expect(media.videoCodecs).toEqual(expect.arrayContaining(["h264", "vp8"]));
});
