import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Service, startService } from "@video-to-json/stack/service";
import { afterAll, beforeAll, expect, test } from "vitest";
import { receiveSpans } from "./receive-spans.ts";

let collector: Awaited<ReturnType<typeof receiveSpans>>;
let service: Service;
beforeAll(async () => {
  collector = await receiveSpans();
  service = await startService({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
});
afterAll(() => service[Symbol.asyncDispose]());

test("one trace leads from a request over the queue and the stages of its job to the settlement, without any content", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const words = { schema: '{"secret_of_the_schema":"red|green|blue"}', instructions: "secret of the instructions" };
  const { status, headers, body } = await service.extract(words, { traceparent });
  expect([status, JSON.stringify(body.data)]).toEqual([200, '{"secret_of_the_schema":"red"}']);
  await service.read("/v1/jobs?limit=1&before=secret-of-the-query").catch(() => {});

  const ofTrace = () => collector.spans().filter((span) => span.traceId === traceId);
  await expect.poll(() => ofTrace().map(({ name }) => name)).toContain("POST /v1/extract");
  const stages = ["obtaining", "probing", "uploading", "analysing", "settling", "settle"];
  await expect.poll(() => ofTrace().map(({ name }) => name)).toEqual(expect.arrayContaining([...stages, "job"]));
  const spans = ofTrace();
  const named = (name: string) => spans.find((span) => span.name === name);
  const [request, job] = [named("POST /v1/extract"), named("job")];
  expect(request).toMatchObject({ service: "video-to-json-api", parentSpanId: "b7ad6b7169203331" });
  expect(job).toMatchObject({ service: "video-to-json-worker", parentSpanId: request?.spanId });
  const attributes = Object.fromEntries((request?.attributes ?? []).map(({ key, value }) => [key, value]));
  expect(attributes).toMatchObject({
    "http.route": { stringValue: "/v1/extract" },
    "http.response.status_code": { intValue: 200 },
    request_id: { stringValue: headers.get("x-request-id") },
    job_id: { stringValue: body.id },
  });
  for (const stage of stages) expect([stage, named(stage)?.parentSpanId]).toEqual([stage, job?.spanId]);
  // BullMQ's own spans: the API adds the ticket, the worker processes it.
  const ofQueue = spans.filter(({ name }) => name.includes("extractions")).map(({ service }) => service);
  expect(new Set(ofQueue)).toEqual(new Set(["video-to-json-api", "video-to-json-worker"]));
  const [begin, end] = [BigInt(request?.startTimeUnixNano ?? 0), BigInt(request?.endTimeUnixNano ?? 0)];
  const settle = named("settle");
  expect(
    BigInt(settle?.startTimeUnixNano ?? 0) > begin && BigInt(settle?.endTimeUnixNano ?? 0) < end + 1_000_000_000n,
  ).toBe(true);

  const logs = await Promise.all(
    ["api-1", "worker-1"].map((name) => readFile(join(service.storageDir, "..", "logs", `${name}.log`), "utf8")),
  );
  for (const log of logs) {
    const lines = log.split("\n").filter((line) => line.includes(traceId));
    const ids = { jobId: body.id, requestId: headers.get("x-request-id"), trace_id: traceId };
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining(ids));
  }
  for (const text of [collector.text(), ...logs]) {
    expect(text).not.toMatch(/secret.of|main_color|clip\.mp4/);
    expect(text).not.toContain(service.apiKey);
  }
});

test("a collector that has died delays and breaks nothing, and a worker shuts down without waiting for it", async () => {
  await collector[Symbol.asyncDispose]();
  for (let job = 0; job < 3; job++) expect((await service.extract()).status).toBe(200);
  const [worker] = service.parts.filter(({ app }) => app === "worker");
  const stoppedAt = performance.now();
  worker?.signal("SIGTERM");
  expect(await worker?.ended).toBe("code 0");
  expect(performance.now() - stoppedAt).toBeLessThan(8000);
});
