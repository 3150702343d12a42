import { spawn } from "node:child_process";
import { once } from "node:events";
import { text as textOf } from "node:stream/consumers";
import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { findCommand, serveLocally } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, logsOf } from "./service-facts.ts";

let collector: Awaited<ReturnType<typeof receiveSpans>>;
let service: Service;
beforeAll(async () => {
  collector = await receiveSpans();
  service = await startService({
    env: {
      GEMINI_USD_PER_MILLION: "gemini-3.5-flash-lite=1.5/0,gemini-3.8-flash=3/0",
      PROVIDER_DOLLARS_PER_DAY: "1000",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    },
  });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

const scrape = async (index: number) => (await fetch(`${service.metricsUrls[index]}/metrics`)).text();
const [api, worker] = [0, 1];

/** Returns the value of a series, which is named without its prefix; undefined if the series is missing. */
async function metric(index: number, series: string): Promise<number | undefined> {
  const line = (await scrape(index)).split("\n").find((line) => line.startsWith(`video_to_json_${series} `));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ")));
}

// The first test, because it counts from zero.
test("a job is counted from its upload over the queue and the model to its debit", async () => {
  await service.emulator.setFaults([
    { on: "generate", kind: "status", status: 503, times: 1 },
    { on: "generate", kind: "violate-schema", times: 2 },
  ]);
  const { status, body } = await service.extract();
  expect(status).toBe(200);
  expect((await service.extract({ schema: "{" })).body.error.code).toBe("schema_invalid");
  await service.read(`/v1/jobs/${body.id}`);
  await service.read(`/v1/no-such-route/${body.id}`);
  await untilNothingIsLeft(service);
  const expected: [number, string, number][] = [
    [api, 'http_requests_total{method="POST",route="/v1/extract",status="200",code="none"}', 1],
    [api, 'http_requests_total{method="POST",route="/v1/extract",status="400",code="schema_invalid"}', 1],
    [api, 'http_requests_total{method="GET",route="none",status="404",code="not_found"}', 1],
    [api, 'jobs_admitted_total{kind="new"}', 1],
    [api, "open_waits", 0],
    [api, "upload_rate_bytes_per_second_count", 1],
    [worker, 'jobs_ended_total{outcome="succeeded",by="worker"}', 1],
    [worker, "job_queue_wait_seconds_count", 1],
    [worker, 'job_stage_duration_seconds_count{stage="uploading"}', 1],
    [worker, 'job_runs_total{outcome="succeeded"}', 1],
    [worker, 'provider_retries_total{status="503"}', 1],
    [worker, 'provider_requests_total{request="generate",status="200"}', 3],
    [worker, 'attempts_total{model="small",outcome="violates"}', 2],
    [worker, 'attempts_total{model="large",outcome="conforms"}', 1],
    [worker, "escalations_total", 1],
    [worker, 'holds_total{outcome="held"}', 1],
    [worker, "debits_total", 1],
    [worker, "billed_seconds_total", 60],
    [worker, 'places{state="used"}', 0],
  ];
  for (const [index, series, value] of expected) expect([series, await metric(index, series)]).toEqual([series, value]);
  // Text from callers would create a new series each time.
  for (const index of [api, worker]) expect(await scrape(index)).not.toContain(body.id);
  expect(await metric(api, "upload_bytes_total")).toBeGreaterThan(1000);
  const tokens = Number(await metric(worker, 'model_tokens_total{model="small",kind="input"}'));
  expect(tokens).toBeGreaterThan(100);
  expect(await metric(worker, 'model_cost_usd_total{model="small",purpose="answer"}')).toBeCloseTo(
    (tokens * 1.5) / 1e6,
    9,
  );
  expect(await metric(worker, "provider_spending_ratio")).toBeGreaterThan((tokens * 1.5) / 1e9);
  await expect.poll(() => metric(worker, 'dependency_up{dependency="provider"}')).toBe(1);
});

test("a refusal that names the unpaid tier of the provider shows in the metrics", async () => {
  expect(await metric(worker, "provider_free_tier")).toBe(0);
  await service.emulator.setFaults([
    { on: "generate", kind: "status", status: 429, freeTier: true, retryDelay: "0.1s", times: 1 },
  ]);
  expect((await service.extract()).status).toBe(200);
  expect(await metric(worker, "provider_free_tier")).toBe(1);
});

test("an API reports the jobs and the processes of the whole service", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 12_000, times: 1 }]);
  const answer = service.extract();
  await expect.poll(() => metric(api, 'jobs{state="running"}')).toBe(1);
  await expect.poll(() => metric(api, "open_waits")).toBe(1);
  await expect.poll(() => metric(worker, 'places{state="used"}')).toBe(1);
  expect(await metric(worker, 'places{state="free"}')).toBe(31);
  expect((await answer).status).toBe(200);
  await expect.poll(() => metric(api, 'jobs{state="running"}')).toBe(0);
  await expect.poll(() => metric(api, 'processes{app="api",state="live"}')).toBe(1);
  expect(await metric(api, 'processes{app="worker",state="live"}')).toBe(1);
});

test("promtool finds no fault in the metrics of an API and of a worker", async (context) => {
  const promtool = findCommand("promtool");
  if (!promtool) return context.skip("there is no promtool here");
  for (const index of [api, worker]) {
    const child = spawn(promtool, ["check", "metrics"], { stdio: ["pipe", "pipe", "pipe"] });
    const output = Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
    child.stdin.end(await scrape(index));
    const [code] = await once(child, "close");
    expect([code, (await output).flat().join("")]).toEqual([0, ""]);
  }
});

test("a scrape is answered within 50 ms while Redis and PostgreSQL are dead, and says that they are", async () => {
  const name = new URL(service.databaseUrl).pathname.slice(1);
  const admin = connect(new URL("/postgres", service.databaseUrl).href);
  await admin.unsafe(`alter database "${name}" allow_connections false`);
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
  await service.redis.kill();
  for (const index of [api, worker]) {
    for (const dependency of ["postgres", "redis"]) {
      await expect.poll(() => metric(index, `dependency_up{dependency="${dependency}"}`)).toBe(0);
    }
    const times: number[] = [];
    for (let time = 0; time < 10; time++) {
      const startedAt = performance.now();
      await scrape(index);
      times.push(performance.now() - startedAt);
    }
    // The best of ten, because other load delays some of them.
    expect(Math.min(...times)).toBeLessThan(50);
    const ready = await fetch(`${service.metricsUrls[index]}/readyz`);
    const { failures } = (await ready.json()) as { failures: { dependency: string; address: string }[] };
    const { hostname, port } = new URL(service.redis.url);
    expect(ready.status).toBe(503);
    expect(failures.map(({ dependency }) => dependency)).toEqual(["postgres", "redis"]);
    expect(failures[1]?.address).toBe(`${hostname}:${port}`);
  }
  await expect.poll(() => metric(api, 'jobs{state="waiting"}')).toBeUndefined();
  await service.redis.restart();
  await admin.unsafe(`alter database "${name}" allow_connections true`);
  for (const index of [api, worker]) {
    await expect.poll(() => metric(index, 'dependency_up{dependency="redis"}')).toBe(1);
    await expect.poll(() => metric(index, 'dependency_up{dependency="postgres"}')).toBe(1);
    expect(await metric(index, 'dependency_restarts_total{dependency="redis"}')).toBe(1);
  }
});

test("one trace leads from a request over the queue and the stages of its job to the settlement, without any content", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  // The caller asks not to be recorded. Whether a job is recorded is the operator's choice.
  const traceparent = `00-${traceId}-b7ad6b7169203331-00`;
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
  const asked = spans.filter(({ name }) => name === "provider generate");
  expect(asked.map(({ parentSpanId }) => parentSpanId)).toContain(job?.spanId);
  // Housekeeping of the queue is in no trace.
  expect(collector.spans().filter(({ name }) => /Stalled|extendLocks/.test(name))).toEqual([]);
  // BullMQ's own spans: the API adds the ticket, the worker processes it.
  const ofQueue = spans.filter(({ name }) => name.includes("extractions")).map(({ service }) => service);
  expect(new Set(ofQueue)).toEqual(new Set(["video-to-json-api", "video-to-json-worker"]));
  const [begin, end] = [BigInt(request?.startTimeUnixNano ?? 0), BigInt(request?.endTimeUnixNano ?? 0)];
  const settle = named("settle");
  expect(
    BigInt(settle?.startTimeUnixNano ?? 0) > begin && BigInt(settle?.endTimeUnixNano ?? 0) < end + 1_000_000_000n,
  ).toBe(true);

  const logs = await logsOf(service);
  expect(logs.length).toBe(2);
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

type Value = { stringValue?: string; intValue?: string | number };
type Attribute = { key: string; value: Value };
type Span = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
};
type Batch = { resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[] };

async function receiveSpans() {
  const bodies: string[] = [];
  const server = await serveLocally(async (request, response) => {
    const body = await textOf(request);
    if (request.url === "/v1/traces") bodies.push(body);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  return {
    ...server,
    /** Returns the received spans, each with the name of its service. */
    spans: () =>
      bodies
        .flatMap((body) => (JSON.parse(body) as Batch).resourceSpans)
        .flatMap(({ resource, scopeSpans }) => {
          const service = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue;
          return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
        }),
    text: () => bodies.join("\n"),
  };
}
