import { once } from "node:events";
import { copyFile, open, readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { startCuttingProxy } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createClient } from "./client.ts";
import type { Progress } from "./extract/progress.ts";
import { temporaryFile } from "./testing/temporary-file.ts";

const schema = { main_color: "red|green|blue" } as const;
const large = 120 * 2 ** 20;

let service: BorrowedService;
let port: number;
beforeAll(async () => {
  service = await borrowService();
  port = service.sitePort;
});
afterAll(() => service?.[Symbol.asyncDispose]());

const clientOf = (baseUrl = service.baseUrl, apiKey = service.apiKey) => createClient({ apiKey, baseUrl });

/** Copies the short video and pads the copy with a free box to a number of bytes. */
async function paddedVideo(bytes: number) {
  const made = await temporaryFile(0);
  await copyFile(service.video, made.path);
  const { size } = await stat(made.path);
  const box = Buffer.alloc(8);
  box.writeUInt32BE(bytes - size);
  box.write("free", 4);
  const file = await open(made.path, "r+");
  await file.write(box, 0, 8, size);
  await file.truncate(bytes);
  await file.close();
  return made;
}

test("a file becomes data of the sketch's type, its job is readable, and the account is charged", async () => {
  const client = clientOf();
  const before = await client.account();
  const sketch = {
    main_color: "red|green|blue",
    cuts: [{ at: "timestamp" }],
    "note?": "string",
    has_sound: "bool",
  } as const;
  const answer = await client.extract({ video: service.video, schema: sketch });
  expectTypeOf(answer.data).toEqualTypeOf<{
    main_color: "red" | "green" | "blue";
    cuts: { at: string }[];
    has_sound: boolean;
    note?: string;
  }>();
  expect(answer.data).toMatchObject({ main_color: "red", cuts: [{ at: "00:04" }], has_sound: true });
  expect(answer.replayed).toBe(false);
  expect(JSON.parse(answer.json)).toEqual({
    id: answer.id,
    data: answer.data,
    video: answer.video,
    billed_seconds: 60,
  });
  const job = await client.job(answer.id);
  expect(job).toMatchObject({ status: "succeeded", data: answer.data, billed_seconds: 60 });
  expect(job.json).toContain(`"schema":${JSON.stringify(sketch)}`);
  const [latest, ...older] = await client.recentJobs({ limit: 1 });
  expect([latest?.id, older]).toEqual([answer.id, []]);
  const { email, seconds_remaining } = await client.account();
  expect([email, seconds_remaining]).toEqual([before.email, before.seconds_remaining - 60]);
});

test("a Zod schema becomes data that the schema has parsed", async () => {
  const colour = z.enum(["red", "green", "blue"]).transform((name) => ({ name }));
  const { data } = await clientOf().extract({ video: service.video, schema: z.object({ main_color: colour }) });
  expectTypeOf(data).toEqualTypeOf<{ main_color: { name: "red" | "green" | "blue" } }>();
  expect(data).toEqual({ main_color: { name: "red" } });
});

test("a response and a stream give the same data as a file, and the result tells the request and its rate limit", async () => {
  const bytes = await readFile(service.video);
  for (const video of [new Response(bytes), new Blob([bytes]).stream()]) {
    const { id, data, response } = await clientOf().extract({ video, schema });
    expect(data.main_color).toBe("red");
    expect(response).toMatchObject({ requestId: expect.any(String), jobId: id, rateLimit: { policy: "extract" } });
  }
  const { response } = await clientOf().account();
  expect(response.rateLimit).toMatchObject({ policy: "read", remaining: expect.any(Number) });
});

test("a URL gives the same data as a file", async () => {
  const clip = await readFile(service.video);
  const server = createServer((_request, response) => response.end(clip)).listen(port, "127.0.0.1");
  await once(server, "listening");
  try {
    const { data } = await clientOf().extract({ videoUrl: `http://127.0.0.1:${port}/v.mp4`, schema });
    expect(data.main_color).toBe("red");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a connection that breaks in a large upload is retried: one answer, one charge", async () => {
  const before = await service.secondsRemaining();
  const bytes = 40 * 2 ** 20;
  await using video = await paddedVideo(bytes);
  await using proxy = await startCuttingProxy(service.baseUrl, bytes / 2);
  const sent: number[] = [];
  const { data } = await clientOf(proxy.url).extract({
    video: video.path,
    schema,
    onProgress: (progress) => {
      if (progress.stage === "uploading") sent.push(progress.sentBytes);
    },
  });
  expect(data.main_color).toBe("red");
  expect(proxy.connections()).toBe(2);
  expect(sent.at(-1)).toBe(bytes);
  expect(before - (await service.secondsRemaining())).toBe(60);
});

test("the answer of a call whose connection breaks while the job runs is read back: one upload, one job, one charge", async () => {
  const before = await service.secondsRemaining();
  const generated = (await service.emulator.state()).requests.generate ?? 0;
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 2500, times: 1 }]);
  await using proxy = await startCuttingProxy(service.baseUrl);
  const steps: Progress[] = [];
  const onProgress = (progress: Progress) => void steps.push(progress);
  const request = { video: service.video, schema: '{"10":"red|green|blue","2":0.0}', idempotencyKey: "cut" };
  const answer = clientOf(proxy.url).extract({ ...request, onProgress });
  await service.emulator.waitFor({ "requests.generate": generated + 1 });
  proxy.cutAll();
  const { id, json } = await answer;
  expect(steps.filter((step) => step.stage === "uploading" && step.sentBytes === 0)).toHaveLength(1);
  const jobStages = steps.flatMap((step) => (step.stage === "waiting" && step.jobId === id ? [step.job?.stage] : []));
  expect([...new Set(jobStages)]).toEqual(expect.arrayContaining([undefined, "obtaining"]));
  expect(json).toBe((await clientOf().extract(request)).json);
  expect(proxy.connections()).toBe(2);
  expect((await clientOf().recentJobs({ limit: 1 }))[0]?.id).toBe(id);
  expect((await service.emulator.state()).requests.generate).toBe(generated + 1);
  expect(before - (await service.secondsRemaining())).toBe(60);
});

test("concurrent calls with one key make one job and one charge, and a later call replays the answer", async () => {
  const before = await service.secondsRemaining();
  const call = () => clientOf().extract({ video: service.video, schema, idempotencyKey: "race" });
  const [first, ...others] = await Promise.all([call(), call(), call()]);
  expect(others.map(({ id }) => id)).toEqual([first.id, first.id]);
  const again = await call();
  expect([again.id, again.replayed, again.json]).toEqual([first.id, true, first.json]);
  expect(before - (await service.secondsRemaining())).toBe(60);
  const other = clientOf().extract({ video: service.video, schema: { other: "int" }, idempotencyKey: "race" });
  await expect(other).rejects.toMatchObject({ code: "idempotency_mismatch", status: 409 });
});

test("after an abort the same idempotency key returns the job's answer, charged once", async () => {
  const before = await service.secondsRemaining();
  const generated = (await service.emulator.state()).requests.generate ?? 0;
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 500, times: 1 }]);
  const stop = new AbortController();
  const request = { video: service.video, schema, idempotencyKey: "aborted" };
  const lost = clientOf().extract({ ...request, signal: stop.signal });
  await service.emulator.waitFor({ "requests.generate": generated + 1 });
  stop.abort(new Error("enough"));
  await expect(lost).rejects.toThrow("enough");
  const { data } = await clientOf().extract(request);
  expect(data.main_color).toBe("red");
  expect(before - (await service.secondsRemaining())).toBe(60);
});

test("a large upload with a bad key, a bad schema, too few minutes or too many bytes gets the right code", async () => {
  await using video = await temporaryFile(large);
  await using tooLarge = await temporaryFile(600 * 2 ** 20);
  const sent: number[] = [];
  const refused = async (client: ReturnType<typeof clientOf>, path: string, sketch: object = schema) => {
    const onProgress = (progress: { stage: string; sentBytes?: number }) => void sent.push(progress.sentBytes ?? 0);
    return client.extract({ video: path, schema: sketch, onProgress }).catch((error) => error);
  };
  const badKey = clientOf(service.baseUrl, `${service.apiKey.slice(0, -1)}!`);
  expect(await refused(badKey, video.path)).toMatchObject({ code: "unauthorised", status: 401 });
  expect(await refused(clientOf(), video.path, { a: null })).toMatchObject({
    code: "schema_invalid",
    details: [expect.stringContaining("/a")],
  });
  const poor = clientOf(service.baseUrl, await service.newKey(30));
  expect(await refused(poor, video.path)).toMatchObject({ code: "out_of_minutes", status: 402 });
  expect(await refused(clientOf(), tooLarge.path)).toMatchObject({ code: "file_too_large", status: 413 });
  expect(Math.max(...sent)).toBeLessThan(large);
});

test("an unreadable video and an answer that never conforms throw their code and job id", async () => {
  const junk = clientOf().extract({ video: new Blob(["no video at all"]), schema });
  await expect(junk).rejects.toMatchObject({ code: "media_unreadable", status: 415, jobId: expect.any(String) });
  await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 3 }]);
  const never = await clientOf()
    .extract({ video: service.video, schema })
    .catch((error) => error);
  expect(never).toMatchObject({ code: "extraction_failed", status: 422, details: [expect.any(String)] });
  const job = await clientOf().job(never.jobId);
  expect(job.error?.code).toBe("extraction_failed");
  await expect(clientOf().job("none")).rejects.toMatchObject({ code: "invalid_request" });
  await expect(clientOf().extract({ video: join(service.video, "none.mp4"), schema })).rejects.toThrow("ENOTDIR");
});
