import { expect, test as testAlone } from "vitest";
import { createClient } from "./client.ts";
import { VideoToJsonConnectionError } from "./errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "./errors/video-to-json-error.ts";
import type { Progress } from "./extract/progress.ts";
import { readBack } from "./extract/read-back.ts";
import { toConnection } from "./http/connection.ts";
import { admitted, event, jobId, streams } from "./testing/event-handlers.ts";
import { answers, answerText, cuts, type Handler, refuses, startFaultServer } from "./testing/start-fault-server.ts";
import { apiKey, errorOf, schema, startServerAndClient, video } from "./testing/start-server-and-client.ts";

// The tests spend most of their time waiting between tries.
const test = testAlone.concurrent;

const record = (status: string, more = "") => `{"id":"${jobId}","status":"${status}"${more}}`;
const succeeded = record(
  "succeeded",
  ',"schema":{"a":"}"},"data":{"b":1.0,"2":0},"video":{"duration_seconds":5.04},"billed_seconds":60,"error":null',
);
const failed = (code: string) => record("failed", `,"data":null,"error":{"code":"${code}","message":"Why."}`);

test("an extraction asks for events, reports the job's id and stages, and returns what its second look found and the last event's answer", async () => {
  const text = `${admitted(true)}: waiting\n\n${event("progress", { stage: "analysing", attempt: 2 })}${event("second_look", { confirmed: 5, moved: 1 })}${event("result", answerText)}`;
  await using at = await startServerAndClient(streams(text));
  const waits: Progress[] = [];
  const reported = new Set<string>();
  const onProgress = (progress: Progress) => {
    const same = JSON.stringify({ ...progress, elapsedMs: 0 });
    // On a busy machine the client reports the same wait again, once a second.
    if (progress.stage === "waiting" && !reported.has(same)) waits.push(progress);
    reported.add(same);
  };
  const answer = await at.client.extract({ video, schema, onProgress });
  expect(answer).toEqual({
    ...JSON.parse(answerText),
    json: answerText,
    replayed: true,
    warnings: [],
    secondLook: { confirmed: 5, moved: 1 },
  });
  expect(at.server.requests[0]?.headers.accept).toBe("text/event-stream, application/json;q=0.9");
  const waiting = { stage: "waiting", elapsedMs: expect.any(Number) };
  expect(waits).toEqual([
    waiting,
    { ...waiting, jobId },
    { ...waiting, jobId, job: { stage: "analysing", attempt: 2 } },
  ]);
});

test.each<[string, Handler]>([
  ["breaks after its first event", streams(admitted(), "breaks")],
  ["closes after its first event", streams(admitted())],
  ["breaks in the middle of the answer", streams(admitted() + event("result", answerText).slice(0, 40))],
])("an answer whose connection %s is read by the job's id, and the video is sent once", async (_when, fault) => {
  await using at = await startServerAndClient(
    fault,
    cuts("at once"),
    refuses(503, "internal_error"),
    answers(record("running")),
    answers(succeeded),
  );
  const answer = await at.client.extract({ video, schema });
  expect(answer).toEqual({
    ...JSON.parse(answerText),
    json: answerText,
    replayed: false,
    warnings: [],
    secondLook: null,
  });
  expect(answer.response.jobId).toBe(jobId);
  expect(at.server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST /v1/extract",
    ...Array(4).fill(`GET /v1/jobs/${jobId}`),
  ]);
});

test("an answer of plain JSON that breaks is read by the id in its head", async () => {
  const breaks: Handler = (request, response) => {
    request.on("end", () => {
      response.writeHead(200, { "content-type": "application/json", "job-id": jobId, "content-length": 900 });
      response.write(answerText.slice(0, 20), () => request.socket.resetAndDestroy());
    });
  };
  await using at = await startServerAndClient(breaks, answers(succeeded));
  expect((await at.client.extract({ video, schema })).json).toBe(answerText);
  expect(at.server.requests).toHaveLength(2);
});

test("the error of a job whose connection broke is thrown with its code and the job's id", async () => {
  await using at = await startServerAndClient(streams(admitted(), "breaks"), answers(failed("extraction_failed")));
  const error = await errorOf(at.client.extract({ video, schema }));
  expect(error).toBeInstanceOf(VideoToJsonError);
  expect(error).toMatchObject({ code: "extraction_failed", status: 422, jobId });
});

test("a job that may be run again is sent again after its end, with the same idempotency key", async () => {
  const error = { status: 503, error: { code: "provider_unavailable", message: "Later." } };
  await using at = await startServerAndClient(
    streams(admitted() + event("error", error, 0)),
    answers(failed("provider_unavailable")),
    streams(admitted() + event("result", answerText)),
  );
  expect((await at.client.extract({ video, schema })).id).toBe(jobId);
  const keys = at.server.requests
    .filter(({ method }) => method === "POST")
    .map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toEqual([keys[0], keys[0]]);
});

test("an error event is thrown with its status, details and delay", async () => {
  const error = { status: 422, error: { code: "extraction_failed", message: "Why.", details: ["/a: b"] } };
  await using at = await startServerAndClient(streams(admitted() + event("error", error)));
  expect(await errorOf(at.client.extract({ video, schema }))).toMatchObject({
    code: "extraction_failed",
    status: 422,
    details: ["/a: b"],
    jobId,
  });
  const busy = { status: 503, error: { code: "provider_unavailable", message: "Later." } };
  await using long = await startServerAndClient(streams(admitted() + event("error", busy, 61_000)));
  expect(await errorOf(long.client.extract({ video, schema }))).toMatchObject({ retryAfterSeconds: 61 });
  expect(long.server.requests).toHaveLength(1);
});

test("tries that wait for the job before a proxy cuts them off do not count as retries", async () => {
  const late: Handler = (request) => {
    request.on("end", () => setTimeout(() => request.socket.resetAndDestroy(), 5100));
  };
  await using at = await startServerAndClient(late, late, late, answers(answerText));
  const client = createClient({ apiKey, baseUrl: at.server.url, retries: 1 });
  expect((await client.extract({ video, schema })).billed_seconds).toBe(60);
  expect(at.server.requests).toHaveLength(4);
});

test("a job that fails after a long wait counts as a retry", async () => {
  const late: Handler = (request, response) => {
    const text = '{"error":{"code":"provider_unavailable","message":"Later."}}';
    request.on("end", () => setTimeout(() => response.writeHead(503, { "retry-after": "0" }).end(text), 5100));
  };
  await using at = await startServerAndClient(late);
  const client = createClient({ apiKey, baseUrl: at.server.url, retries: 1 });
  expect(await errorOf(client.extract({ video, schema }))).toMatchObject({ code: "provider_unavailable" });
  expect(at.server.requests).toHaveLength(2);
});

test("a job that cannot be read ends the call when the service has said nothing for too long", async () => {
  await using server = await startFaultServer(refuses(503, "provider_unavailable"));
  const reason = new VideoToJsonConnectionError("It broke.", { retryable: true });
  const { signal } = new AbortController();
  const connection = toConnection({ apiKey, baseUrl: server.url });
  expect(await errorOf(readBack(connection, { jobId, reason, until: Date.now(), signal }))).toBe(reason);
  expect(server.requests).toHaveLength(1);
});

test("a job that is unknown when it is read back ends the call", async () => {
  await using at = await startServerAndClient(streams(admitted(), "breaks"), refuses(404, "not_found"));
  expect(await errorOf(at.client.extract({ video, schema }))).toMatchObject({ code: "not_found" });
  expect(at.server.requests).toHaveLength(2);
});
