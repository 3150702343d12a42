import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { type BorrowedService, borrowService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { afterAll, beforeAll, expect, test } from "vitest";

let service: BorrowedService;
beforeAll(async () => {
  service = await borrowService();
});
afterAll(() => service[Symbol.asyncDispose]());

test("a worker has everything that it needs to confine ffmpeg", async () => {
  // A machine may refuse parts of it, for another reason.
  const log = await readFile(join(dirname(service.video), "logs", "worker-1.log"), "utf8");
  expect(log).toContain("worker started");
  expect(log).not.toContain("view.fstab");
});

async function serveVideo(
  answer: (path: string) => Promise<{ status?: number; body: Uint8Array; headers?: Record<string, string> }>,
) {
  const server = createServer((request, response) => {
    void answer(request.url ?? "").then(({ status = 200, body, headers = {} }) => {
      response.writeHead(status, headers).end(body);
    });
  }).listen(service.sitePort, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("an upload returns correct data in the shape of the sketch, is billed one minute, and leaves nothing", async () => {
  const before = await service.secondsRemaining();
  const schema = '{"main_color":"red|green|blue","cuts":[{"at":"timestamp"}],"has_sound":true,"note?":"string"}';
  const { status, body, headers, text } = await service.extract({ schema });
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(["id", "data", "video", "billed_seconds"]);
  expect(body.data).toMatchObject({ main_color: "red", cuts: [{ at: "00:04" }], has_sound: true });
  expect(text).toMatch(/"data":\{"main_color":.*"cuts":.*"has_sound":/);
  expect(Math.abs(body.video.duration_seconds * 1000 - service.truth.durationMs)).toBeLessThanOrEqual(60);
  expect(body.billed_seconds).toBe(60);
  expect(headers.get("job-id")).toBe(body.id);
  await untilNothingIsLeft(service);
  expect(before - (await service.secondsRemaining())).toBe(60);

  const record = await service.read(`/v1/jobs/${body.id}`);
  expect(record.text).toContain(`"schema":${schema}`);
  expect(JSON.parse(record.text)).toMatchObject({
    id: body.id,
    status: "succeeded",
    data: body.data,
    video: body.video,
    billed_seconds: 60,
    error: null,
  });
});

test("a URL gives the same result as an upload", async () => {
  await using server = await serveVideo(async () => ({ body: await readFile(service.video) }));
  const { status, body } = await service.extractUrl({
    video_url: `${server.url}/v.mp4`,
    schema: { main_color: "red|green|blue" },
  });
  expect([status, body.data]).toEqual([200, { main_color: "red" }]);
  await untilNothingIsLeft(service);
});

test.each([
  ["a page", "media_unreadable", 415, { body: Buffer.from("<!doctype html><p>no video</p>") }],
  ["a missing file", "video_unreachable", 400, { status: 404, body: Buffer.from("no") }],
  [
    "a redirect to a private address",
    "video_unreachable",
    400,
    { status: 302, body: Buffer.from(""), headers: { location: "http://10.0.0.1/" } },
  ],
  [
    "a declared size over the cap",
    "file_too_large",
    413,
    { body: Buffer.from(""), headers: { "content-length": String(3 * 2 ** 30) } },
  ],
])("a URL with %s fails as %s, uncharged, and leaves nothing", async (_name, code, expected, answer) => {
  const before = await service.secondsRemaining();
  await using server = await serveVideo(async () => answer);
  const { status, body, headers } = await service.extractUrl({ video_url: `${server.url}/x`, schema: { a: "string" } });
  expect([status, body.error.code]).toEqual([expected, code]);
  expect(JSON.parse((await service.read(`/v1/jobs/${headers.get("job-id")}`)).text)).toMatchObject({
    status: "failed",
    data: null,
    billed_seconds: 0,
    error: body.error,
  });
  await untilNothingIsLeft(service);
  expect(await service.secondsRemaining()).toBe(before);
});

test("bytes that are not a video are media_unreadable", async () => {
  const junk = await service.extract({ video: Buffer.from("no video at all") });
  expect([junk.status, junk.body.error.code]).toEqual([415, "media_unreadable"]);
  await untilNothingIsLeft(service);
});

test("an answer that never conforms is extraction_failed with the violations, after three attempts, uncharged", async () => {
  const before = await service.secondsRemaining();
  const asked = (await service.emulator.state()).requests.generate ?? 0;
  await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 3 }]);
  const { status, body } = await service.extract();
  expect([status, body.error.code]).toEqual([422, "extraction_failed"]);
  expect(body.error.details?.every((detail) => /^(\/[^:]*)?: ./.test(detail))).toBe(true);
  expect(body.error.details?.length).toBeGreaterThan(0);
  const { requests, generateLog } = await service.emulator.state();
  expect((requests.generate ?? 0) - asked).toBe(3);
  const models = generateLog.slice(-3).map(({ model }) => model);
  expect([models[0] === models[1], models[1] === models[2]]).toEqual([true, false]);
  expect(await service.secondsRemaining()).toBe(before);
  await untilNothingIsLeft(service);
});

test("an answer that conforms at the third attempt is charged once, and the job names the large model", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 2 }]);
  const { status, body } = await service.extract();
  expect(status).toBe(200);
  expect(JSON.parse((await service.read(`/v1/jobs/${body.id}`)).text).model).toBe("gemini-3.8-flash");
});

test("a job succeeds in spite of transient errors of the provider", async () => {
  await service.emulator.setFaults([
    { on: "start", kind: "status", status: 503 },
    { on: "chunk", kind: "drop" },
    { on: "generate", kind: "status", status: 503 },
    { on: "generate", kind: "status", status: 429, retryDelay: "1s" },
    { on: "delete", kind: "status", status: 500 },
  ]);
  const { status } = await service.extract();
  expect(status).toBe(200);
  await untilNothingIsLeft(service);
});

test("the same request with the same idempotency key replays the answer, uncharged; another request with that idempotency key is a mismatch", async () => {
  const key = { "idempotency-key": "a b c" };
  const first = await service.extract({}, key);
  const before = await service.secondsRemaining();
  const again = await service.extract({}, key);
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect([first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([null, "true"]);
  expect(again.headers.get("job-id")).toBe(first.body.id);
  expect(await service.secondsRemaining()).toBe(before);
  const other = await service.extract({ instructions: "other" }, key);
  expect([other.status, other.body.error.code]).toEqual([409, "idempotency_mismatch"]);
  await untilNothingIsLeft(service);
});

test("concurrent requests with one key join one job, with one charge", async () => {
  const before = await service.secondsRemaining();
  const key = { "idempotency-key": "joined" };
  const answers = await Promise.all(Array.from({ length: 4 }, () => service.extract({}, key)));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.every(({ status, body, headers }) => status === 200 && headers.get("job-id") === body.id)).toBe(true);
  expect(before - (await service.secondsRemaining())).toBe(60);
  await untilNothingIsLeft(service);
});

test("a key whose job failed uncharged starts a new job", async () => {
  const key = { "idempotency-key": "failed first" };
  await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 3 }]);
  const failed = await service.extract({}, key);
  const again = await service.extract({}, key);
  expect([failed.status, again.status]).toEqual([422, 200]);
  expect(again.headers.get("job-id")).not.toBe(failed.headers.get("job-id"));
});

test("of two jobs that compete for the last minutes one runs, and the other uses no model time", async () => {
  const key = await service.newKey(119);
  const started = (await service.emulator.state()).requests.start ?? 0;
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 500, times: 2 }]);
  const headers = { authorization: `Bearer ${key}` };
  const answers = await Promise.all([service.extract({}, headers), service.extract({}, headers)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 402]);
  expect(answers.find(({ status }) => status === 402)?.body.error.code).toBe("out_of_minutes");
  expect(await service.secondsRemaining(key)).toBe(59);
  expect((await service.emulator.state()).requests.start).toBe(started + 1);
  await untilNothingIsLeft(service);
});

test("a sixth concurrent job of an account is too_many_jobs and can be retried", async () => {
  const key = await service.newKey();
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500, times: 5 }]);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => service.extract({}, { authorization: `Bearer ${key}` })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body.error.code).toBe("too_many_jobs");
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
});
