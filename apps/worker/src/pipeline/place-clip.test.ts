import { expect, test } from "vitest";
import { placeClip } from "./probe-video.ts";

const place = (startSeconds: number, endSeconds: number | null, durationMs: number, maxVideoSeconds = 600) =>
  placeClip({ maxVideoSeconds }, { startSeconds, endSeconds }, durationMs);

test("a clip that ends in the second in which the video ends, or names no end, ends with the video", () => {
  expect(place(10, 41, 40_500)).toEqual({ fromMs: 10_000, toMs: 40_500 });
  expect(place(10, null, 40_500)).toEqual({ fromMs: 10_000, toMs: 40_500 });
  expect(place(40, null, 40_001)).toEqual({ fromMs: 40_000, toMs: 40_001 });
});

test("a clip that ends in a later second, or starts where the video ends, is refused", () => {
  const refused = expect.objectContaining({ code: "invalid_request" });
  for (const [start, end, durationMs] of [
    [10, 42, 40_500],
    [10, 41, 40_000],
    [40, null, 40_000],
    [41, null, 40_500],
  ] as const) {
    expect(() => place(start, end, durationMs), `${start}-${end} of ${durationMs}`).toThrow(refused);
  }
});

test("the length limit is for the rounded length of the clip", () => {
  expect(place(1, null, 601_499)).toEqual({ fromMs: 1000, toMs: 601_499 });
  expect(() => place(1, null, 601_500)).toThrow(expect.objectContaining({ code: "video_too_long" }));
  expect(place(600, 1200, 2_000_000)).toEqual({ fromMs: 600_000, toMs: 1_200_000 });
});

test("a clip of the whole video counts as no clip", () => {
  expect([place(0, 40, 40_000), place(0, 41, 40_500), place(0, null, 40_500)]).toEqual([null, null, null]);
  expect(placeClip({ maxVideoSeconds: 600 }, null, 40_000)).toBeNull();
});

test("a clip that ends after 59:59, which MM:SS cannot express, is refused", () => {
  const toMs = 3_599_999;
  expect(place(3500, null, toMs)).toEqual({ fromMs: 3_500_000, toMs });
  expect(() => place(3500, null, toMs + 1)).toThrow(expect.objectContaining({ code: "invalid_request" }));
});
