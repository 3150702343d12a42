import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isJobId, parseExtractionJobData } from "./extraction-job.ts";

describe("what comes out of the queue", () => {
  test("is an extraction job if it carries a UUID, whatever else it carries", () => {
    const jobId = randomUUID();
    expect(parseExtractionJobData({ jobId, data: "more" })).toEqual({ jobId });
  });

  test.each([undefined, null, "x", 7, [], {}, { jobId: 1 }, { jobId: "" }, { jobId: { toString: () => "x" } }])(
    "is refused otherwise: %j",
    (data) => expect(() => parseExtractionJobData(data)).toThrow(TypeError),
  );
});

test.each(["", "0", "12345", `${randomUUID()}:1`, ` ${randomUUID()}`, `${randomUUID()}\n`, randomUUID().slice(1)])(
  "%j is no job id",
  (text) => expect(isJobId(text)).toBe(false),
);
