import { type Progress, VideoToJsonConnectionError } from "video-to-json";
import { expect, test } from "vitest";
import { loggedLine, namedLine, stageLine } from "./stage-line.ts";

const reason = new VideoToJsonConnectionError("No answer came from http://127.0.0.1:1: reset. Check the network.", {
  retryable: true,
});
const retrying: Progress = { stage: "retrying", attempt: 2, reason, delayMs: 2500 };

test("a retry shows its reason and a countdown", () => {
  expect(stageLine({ step: retrying, elapsedMs: 600 }, "x", 100)).toBe(
    "No answer came from http://127.0.0.1:1: reset.  Trying again in 2 s",
  );
  expect(stageLine({ step: retrying, elapsedMs: 9000 }, "x", 30)).toBe("No answer  Trying again in 0 s");
  expect(loggedLine(retrying, "x")).toBe("No answer came from http://127.0.0.1:1: reset. Trying again in 3 s.");
});

test("the wait shows its time on a terminal and not in a log", () => {
  const waiting: Progress = { stage: "waiting", elapsedMs: 0 };
  expect(stageLine({ step: waiting, elapsedMs: 61_000 }, "x", 100)).toBe("Waiting for the answer  1:01");
  expect(loggedLine(waiting, "x")).toBe("Waiting for the answer.");
});

test("the wait shows what the job does, and a log its id", () => {
  const admitted: Progress = { stage: "waiting", elapsedMs: 0, jobId: "4c49" };
  expect(stageLine({ step: admitted, elapsedMs: 1000 }, "x", 100)).toBe("Waiting for the answer  0:01");
  expect(loggedLine(admitted, "x")).toBe("Job 4c49 is admitted.");
  const analysing: Progress = { ...admitted, job: { stage: "analysing", attempt: 1 } };
  expect(stageLine({ step: analysing, elapsedMs: 1000 }, "x", 100)).toBe("Analysing the video  0:01");
  expect(loggedLine({ ...admitted, job: { stage: "analysing", attempt: 2 } }, "x")).toBe(
    "Analysing the video (attempt 2).",
  );
  expect(loggedLine({ ...admitted, job: { stage: "new" as never, attempt: 1 } }, "x")).toBe("Waiting for the answer.");
});

test("an upload shows its name and size", () => {
  const uploading: Progress = { stage: "uploading", sentBytes: 1, totalBytes: 2_000_000 };
  expect(stageLine({ step: uploading, elapsedMs: 0 }, "clip.mp4", 100)).toContain("Uploading clip.mp4 ");
  expect(loggedLine(uploading, "clip.mp4")).toBe("Uploading clip.mp4 (2.0 MB).");
});

test("a video from standard input shows how much is read", () => {
  expect(stageLine({ step: { stage: "reading", readBytes: 34e6 }, elapsedMs: 0 }, "-", 100)).toBe(
    "Reading standard input  34 MB",
  );
  expect(loggedLine({ stage: "reading", readBytes: 34e6 }, "-")).toBe("Reading standard input.");
});

test("one of several videos shows the end of its path and fits every terminal", () => {
  const argument = "recordings/2026/november/match.mp4";
  const steps = [
    { stage: "uploading", sentBytes: 1e6, totalBytes: 2e6 },
    { stage: "waiting", elapsedMs: 0, jobId: "4c49" },
    retrying,
  ] as const;
  const lines = (columns: number) => steps.map((step) => namedLine({ step, elapsedMs: 1000 }, { argument }, columns));
  for (let columns = 42; columns < 130; columns++) {
    for (const line of lines(columns)) expect(line.length).toBeLessThanOrEqual(columns);
  }
  expect(lines(77)).toEqual([
    "…/2026/november/match.mp4  Uploading  50 %  1.0 MB of 2.0 MB  1.0 MB/s",
    "…/2026/november/match.mp4  Waiting for the answer  0:01",
    "…/2026/november/match.mp4  No answer came from http://12  Trying again in 2 s",
  ]);
});
