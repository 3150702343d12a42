import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { attemptOf, sampleEvidence } from "../audit/evidence.fixture.ts";
import { rereadJobs } from "./reread-jobs.ts";

test("each job whose client got no response is read by its id and, if it was charged, by its key", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.headers["idempotency-key"] ?? request.url));
    request.resume().once("end", () => response.end("{}"));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const { evidence, call, job, accountId } = sampleEvidence();
  const lost = Array.from({ length: 401 }, (_, number) => {
    const marker = `lost ${number}`;
    const paid = number < 61;
    return {
      job: { ...job, id: randomUUID(), marker, status: paid ? "succeeded" : "failed" },
      call: { ...call, marker, idempotencyKey: marker, attempts: [attemptOf({ is: "broken", why: "" })] },
      paid,
    };
  });
  const readings = await rereadJobs(
    { apiUrls: [apiUrl], filesUrl: "", timeoutMs: 60_000 },
    [call, ...lost.map((each) => each.call)],
    {
      ...evidence.records,
      jobs: [job, ...lost.map((each) => each.job)],
      keys: lost.map((each) => ({ accountId, key: each.call.marker, jobId: each.job.id, requestHash: "" })),
    },
  );
  const keys = lost.filter(({ paid }) => paid).map((each) => each.call.marker);
  expect(new Set(asked)).toEqual(new Set([...lost.map((each) => `/v1/jobs/${each.job.id}`), ...keys]));
  expect(readings.length).toBe(lost.length + keys.length);
});
