import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { type BorrowedService, borrowService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { exchangeOf, serveLocally } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askedOf, bearer } from "./service-facts.ts";

let service: BorrowedService;
beforeAll(async () => {
  service = await borrowService();
});
afterAll(() => service[Symbol.asyncDispose]());

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

const branch = (...branches: object[]) => ({ v: { type: "string" }, c: { anyOf: [...branches, { type: "null" }] } });
const required = ["v", "c"];
test.each([
  ["that recurs at its root", { type: "object", properties: branch({ $ref: "#" }), required }],
  [
    "that recurs in a definition",
    { $ref: "#/$defs/n", $defs: { n: { type: "object", properties: branch({ $ref: "#/$defs/n" }), required } } },
  ],
  ["of keys that only `required` names", { type: "object", required, additionalProperties: { type: "integer" } }],
])("a JSON Schema %s is answered", async (_name, schema) => {
  const { status, body } = await service.extract({ schema: JSON.stringify(schema) });
  expect([status, Object.keys(body.data as object)]).toEqual([200, required]);
});

test("a URL gives the same result as an upload", async () => {
  const clip = await readFile(service.video);
  await using server = await serveLocally((_request, response) => response.end(clip), service.sitePort);
  const { status, body } = await service.extractUrl({
    video_url: `${server.url}/v.mp4`,
    schema: { main_color: "red|green|blue" },
  });
  expect([status, body.data]).toEqual([200, { main_color: "red" }]);
  await untilNothingIsLeft(service);
});

test.each<[string, string, number, (response: ServerResponse) => void]>([
  ["a page", "media_unreadable", 415, (response) => response.end("<!doctype html><p>no video</p>")],
  ["a missing file", "video_unreachable", 400, (response) => response.writeHead(404).end("no")],
  [
    "a redirect to a private address",
    "video_unreachable",
    400,
    (response) => response.writeHead(302, { location: "http://10.0.0.1/" }).end(),
  ],
  [
    "a declared size over the cap",
    "file_too_large",
    413,
    (response) => response.writeHead(200, { "content-length": String(3 * 2 ** 30) }).end(),
  ],
])("a URL with %s fails as %s, uncharged, and leaves nothing", async (_name, code, expected, answer) => {
  const before = await service.secondsRemaining();
  await using server = await serveLocally((_request, response) => answer(response), service.sitePort);
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

test("an answer that never conforms is extraction_failed with the violations, after three attempts, uncharged", async () => {
  const before = await service.secondsRemaining();
  const asked = await askedOf(service);
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

test("of two jobs that compete for the last minutes one runs, and the other uses no model time", async () => {
  const key = await service.newKey(119);
  const started = (await service.emulator.state()).requests.start ?? 0;
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 500, times: 2 }]);
  const answers = await Promise.all([1, 2].map(() => service.extract({}, bearer(key))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 402]);
  expect(answers.find(({ status }) => status === 402)?.body.error.code).toBe("out_of_minutes");
  expect(await service.secondsRemaining(key)).toBe(59);
  expect((await service.emulator.state()).requests.start).toBe(started + 1);
  await untilNothingIsLeft(service);
});

test("a sixth concurrent job of an account is too_many_jobs and can be retried", async () => {
  const key = await service.newKey();
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500, times: 5 }]);
  const answers = await Promise.all(Array.from({ length: 6 }, () => service.extract({}, bearer(key))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body.error.code).toBe("too_many_jobs");
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
});

/** Uploads the clip and asks for this type. Returns the exchange, which the interface description must allow. */
async function hold(accept: string, key: string) {
  const form = new FormData();
  form.set("schema", '{"main_color":"red|green|blue"}');
  form.set("video", new File([await readFile(service.video)], "clip.mp4"));
  const headers = { ...bearer(service.apiKey), accept, "idempotency-key": key };
  const response = await fetch(`${service.baseUrl}/v1/extract`, { method: "POST", headers, body: form });
  const exchange = await exchangeOf(response, "POST");
  expect(service.contract.faultsOf(exchange)).toEqual([]);
  return exchange;
}

const eventsOf = (body: string) =>
  [...body.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, name = "", data = ""]) => ({ name, data }));
const progressOf = (body: string) => eventsOf(body).flatMap(({ name, data }) => (name === "progress" ? [data] : []));

test("a held call reports each stage of its job, and its last event is the body of the JSON response", async () => {
  const held = await hold("text/event-stream", "held");
  expect(eventsOf(held.body)[0]?.data).toBe(`{"id":"${held.header("job-id")}","replayed":false}`);
  const stages = ["obtaining", "probing", "uploading", "analysing", "settling"];
  expect(progressOf(held.body)).toEqual(stages.map((stage) => `{"stage":"${stage}","attempt":1}`));
  const json = await hold("application/json", "held");
  expect(json.header("idempotent-replayed")).toBe("true");
  expect(eventsOf(held.body).at(-1)).toEqual({ name: "result", data: json.body });
});

test("a held call counts the questions to the model, and ends with the error of a job that fails", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 3 }]);
  const held = await hold("text/event-stream", "fails");
  const attempts = progressOf(held.body).filter((data) => data.includes("analysing"));
  expect(attempts).toEqual([1, 2, 3].map((attempt) => `{"stage":"analysing","attempt":${attempt}}`));
  const { name, data = "{}" } = eventsOf(held.body).at(-1) ?? {};
  expect([name, JSON.parse(data)]).toMatchObject(["error", { status: 422, error: { code: "extraction_failed" } }]);
});
