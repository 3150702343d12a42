import { randomUUID } from "node:crypto";
import { serveLocally } from "@video-to-json/testing/running";
import { expect, test } from "vitest";
import { attemptOf, sampleEvidence } from "../audit/evidence.fixture.ts";
import { rereadJobs } from "./gather-evidence.ts";

test("each job whose client got no response is read by its id and, if it was charged, by its key", async () => {
  const asked: string[] = [];
  await using server = await serveLocally((request, response) => {
    asked.push(String(request.headers["idempotency-key"] ?? request.url));
    request.resume().once("end", () => response.end("{}"));
  });

  const { evidence, paid, paidId } = sampleEvidence();
  const { tables, columns } = evidence.records;
  const [job] = tables.jobs?.filter(({ id }) => id === paidId) ?? [];
  const lost = Array.from({ length: 401 }, (_, number) => {
    const marker = `lost ${number}`;
    const id = randomUUID();
    const status = number < 61 ? "succeeded" : "failed";
    return {
      id,
      row: { ...job, id, instructions: JSON.stringify(marker), status },
      key: { job_id: id },
      call: { ...paid, marker, idempotencyKey: marker, attempts: [attemptOf({ is: "broken", why: "" })] },
      isPaid: status === "succeeded",
    };
  });
  const readings = await rereadJobs(
    { apiUrls: [server.url], filesUrl: "", timeoutMs: 60_000 },
    [paid, ...lost.map((each) => each.call)],
    {
      columns,
      tables: { jobs: [job ?? {}, ...lost.map(({ row }) => row)], idempotency_keys: lost.map(({ key }) => key) },
    },
  );
  const keys = lost.filter(({ isPaid }) => isPaid).map((each) => each.call.marker);
  expect(new Set(asked)).toEqual(new Set([...lost.map((each) => `/v1/jobs/${each.id}`), ...keys]));
  expect(readings.length).toBe(lost.length + keys.length);
});
