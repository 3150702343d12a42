import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseExtractionJobData } from "./extraction-job.ts";

describe("the data of a job from the queue", () => {
  test("is accepted if it holds a UUID, and other members are dropped", () => {
    const jobId = randomUUID();
    expect(parseExtractionJobData({ jobId, data: "more" })).toEqual({ jobId });
  });

  test.each([undefined, null, "x", 7, [], {}, { jobId: 1 }, { jobId: "" }, { jobId: { toString: () => "x" } }])(
    "is rejected otherwise: %j",
    (data) => expect(() => parseExtractionJobData(data)).toThrow(TypeError),
  );
});

test.each(["", "0", "12345", `${randomUUID()}:1`, ` ${randomUUID()}`, `${randomUUID()}\n`, randomUUID().slice(1)])(
  "%j is not a job id",
  (jobId) => expect(() => parseExtractionJobData({ jobId })).toThrow(TypeError),
);
