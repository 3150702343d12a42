import { type Progress, VideoToJsonConnectionError } from "video-to-json";
import { expect, test } from "vitest";
import { loggedLine, stageLine } from "./stage-line.ts";

const reason = new VideoToJsonConnectionError("No answer came from http://127.0.0.1:1: reset. Check the network.", {
  retryable: true,
});
const retrying: Progress = { stage: "retrying", attempt: 2, reason, delayMs: 2500 };

test("a retry shows its reason and a countdown", () => {
  expect(stageLine({ progress: retrying, elapsedMs: 600 }, "x", 100)).toBe(
    "No answer came from http://127.0.0.1:1: reset.  Trying again in 2 s",
  );
  expect(stageLine({ progress: retrying, elapsedMs: 9000 }, "x", 30)).toBe("No answer  Trying again in 0 s");
  expect(loggedLine(retrying, "x")).toBe("No answer came from http://127.0.0.1:1: reset. Trying again in 3 s.");
});

test("the wait shows its time on a terminal and not in a log", () => {
  const waiting: Progress = { stage: "waiting", elapsedMs: 0 };
  expect(stageLine({ progress: waiting, elapsedMs: 61_000 }, "x", 100)).toBe("Waiting for the answer  1:01");
  expect(loggedLine(waiting, "x")).toBe("Waiting for the answer.");
});

test("the wait shows what the job does, and a log its id", () => {
  const admitted: Progress = { stage: "waiting", elapsedMs: 0, jobId: "4c49" };
  expect(stageLine({ progress: admitted, elapsedMs: 1000 }, "x", 100)).toBe("Waiting for the answer  0:01");
  expect(loggedLine(admitted, "x")).toBe("Job 4c49 is admitted.");
  const analysing: Progress = { ...admitted, job: { stage: "analysing", attempt: 1 } };
  expect(stageLine({ progress: analysing, elapsedMs: 1000 }, "x", 100)).toBe("Analysing the video  0:01");
  expect(loggedLine({ ...admitted, job: { stage: "analysing", attempt: 2 } }, "x")).toBe(
    "Analysing the video (attempt 2).",
  );
  expect(loggedLine({ ...admitted, job: { stage: "new" as never, attempt: 1 } }, "x")).toBe("Waiting for the answer.");
});

test("an upload shows its name and size", () => {
  const uploading: Progress = { stage: "uploading", sentBytes: 1, totalBytes: 2_000_000 };
  expect(stageLine({ progress: uploading, elapsedMs: 0 }, "clip.mp4", 100)).toContain("Uploading clip.mp4 ");
  expect(loggedLine(uploading, "clip.mp4")).toBe("Uploading clip.mp4 (2.0 MB).");
});
