import { expect, test, vi } from "vitest";
import { isVideoToJsonConnectionError, isVideoToJsonError, isVideoToJsonParseError } from "./brand.ts";
import { VideoToJsonConnectionError } from "./video-to-json-connection-error.ts";

test("errors of another copy of the package are recognised, and no others", async () => {
  vi.resetModules();
  const copy = await import("./video-to-json-error.ts?copy" as "./video-to-json-error.ts");
  const { VideoToJsonError } = await import("./video-to-json-error.ts");
  const inside = { code: "not_found", message: "No." } as const;
  const fields = { status: 404, requestId: undefined, jobId: undefined, retryAfterSeconds: undefined };
  const foreign = new copy.VideoToJsonError(inside, fields);
  expect(foreign).not.toBeInstanceOf(VideoToJsonError);
  expect(isVideoToJsonError(foreign)).toBe(true);
  expect(isVideoToJsonConnectionError(foreign)).toBe(false);
  const connection = new VideoToJsonConnectionError("It broke.", { retryable: true });
  expect([isVideoToJsonConnectionError(connection), isVideoToJsonError(connection)]).toEqual([true, false]);
  for (const other of [undefined, null, "x", {}, new Error("x"), { name: "VideoToJsonError" }]) {
    expect([isVideoToJsonError(other), isVideoToJsonParseError(other)]).toEqual([false, false]);
  }
});
