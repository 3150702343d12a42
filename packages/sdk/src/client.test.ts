import { rm, truncate, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { expect, expectTypeOf, test as testAlone } from "vitest";
import { createClient } from "./client.ts";
import { VideoToJsonConnectionError } from "./errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "./errors/video-to-json-error.ts";
import type { Progress } from "./extract/progress.ts";
import { apiKey, failure, schema, serving, video } from "./testing/serving.ts";
import { answers, answerText, cuts, type Handler, refuses } from "./testing/start-fault-server.ts";
import { holdsOpen, temporaryFile } from "./testing/temporary-file.ts";

// Most of the time goes by in pauses between tries.
const test = testAlone.concurrent;

test("an upload says its length, and has the schema as it was written, before the file", async () => {
  await using at = await serving(answers(answerText, 200, { "idempotent-replayed": "true" }));
  const answer = await at.client.extract({
    video,
    fileName: 'a "b"\n.mp4',
    schema: '{ "2":0.0,"1":0 }',
    instructions: "é",
  });
  expect(answer).toEqual({ ...JSON.parse(answerText), json: answerText, replayed: true });
  const [request] = at.server.requests;
  const body = at.server.bodyOf(0);
  expect(request).toMatchObject({ method: "POST", url: "/v1/extract" });
  expect(request?.headers).toMatchObject({
    authorization: `Bearer ${apiKey}`,
    "content-length": String(body.length),
    "idempotency-key": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const head = body.subarray(0, 700).toString();
  expect(head).toContain('name="schema"\r\n\r\n{ "2":0.0,"1":0 }\r\n');
  expect(head).toContain('name="instructions"\r\n\r\né\r\n');
  expect(head).toContain('name="video"; filename="a %22b%22%0A.mp4"\r\n');
  expect(head.indexOf('name="schema"')).toBeLessThan(head.indexOf('name="video"'));
});

test("the type of the data follows from a schema in the call, and of the arguments one video is taken", async () => {
  await using at = await serving(answers(answerText));
  const sketch = await at.client.extract({ video, schema: { b: "number", "c?": "x|y" } });
  expectTypeOf(sketch.data).toEqualTypeOf<{ b: number; c?: "x" | "y" }>();
  const { data } = await at.client.extract({
    videoUrl: "https://example.com",
    schema: { type: "object", properties: { b: { type: "number" } }, required: ["b"] },
  });
  expectTypeOf(data).toEqualTypeOf<{ b: number }>();
  const text = await at.client.extract({ video, schema: JSON.stringify({ b: "number" }) });
  expectTypeOf(text.data).toEqualTypeOf<unknown>();
  // @ts-expect-error: a video or its address, not both.
  await failure(at.client.extract({ video, videoUrl: "https://example.com", schema }));
});

test("a path, a file URL, a Blob, a File and bytes send the same video", async () => {
  await using file = await temporaryFile(0, "clip one.mp4");
  await writeFile(file.path, video);
  await using at = await serving(answers(answerText));
  const sources = [file.path, pathToFileURL(file.path), new Blob([video]), new File([video], "f.mp4"), video];
  for (const source of sources) await at.client.extract({ video: source, schema });
  const names = at.server.requests.map((_, index) => {
    const body = at.server.bodyOf(index);
    const start = body.indexOf("\r\n\r\n", body.indexOf('name="video"')) + 4;
    expect(body.subarray(start, start + video.length).equals(video)).toBe(true);
    return /filename="([^"]*)"/.exec(body.subarray(0, start).toString())?.[1];
  });
  expect(names).toEqual(["clip one.mp4", "clip one.mp4", "video", "f.mp4", "video"]);
  expect(holdsOpen(file.path)).toBe(false);
});

test("a URL is sent as one, with a schema whose text is sent as it is", async () => {
  await using at = await serving(answers(answerText));
  await at.client.extract({ videoUrl: new URL("https://example.com/v.mp4?a=b"), schema: { a: "\ufffd" } });
  const body = at.server.bodyOf(0).toString();
  expect(body).toContain('name="video_url"\r\n\r\nhttps://example.com/v.mp4?a=b\r\n');
  expect(body).toContain('{"a":"\\ufffd"}');
  expect(body).not.toContain('name="video"');
});

test.each<[string, Handler]>([
  ["before the upload", cuts("at once")],
  ["in the middle of the upload", cuts(2 ** 20)],
  ["after the upload", cuts("after everything")],
  [
    "in the middle of the answer",
    (request, response) => {
      request.on("end", () => {
        response.writeHead(200, { "content-length": answerText.length });
        response.write(answerText.slice(0, 20), () => request.socket.resetAndDestroy());
      });
    },
  ],
])("a connection that breaks %s is made again, with the same key and the same body", async (_when, fault) => {
  await using at = await serving(fault, answers(answerText));
  const stages: Progress["stage"][] = [];
  const answer = await at.client.extract({ video, schema, onProgress: ({ stage }) => void stages.push(stage) });
  expect(answer.billed_seconds).toBe(60);
  const keys = at.server.requests.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(at.server.bodyOf(1).length).toBe(Number(at.server.requests[1]?.headers["content-length"]));
  expect(stages).toContain("retrying");
});

test.each<[string, Handler]>([
  ["a proxy's page", answers("<h1>Bad gateway</h1>", 502, { "content-type": "text/html" })],
  ["a proxy's timeout", answers("", 504)],
  ["an answer that is half there", answers(answerText.slice(0, 30))],
  ["internal_error", refuses(500, "internal_error")],
  ["rate_limited", refuses(429, "rate_limited", { "retry-after": "0" })],
  ["too_many_jobs", refuses(429, "too_many_jobs", { "retry-after": "0" })],
  ["provider_unavailable", refuses(503, "provider_unavailable", { "retry-after": "0" })],
])("%s is passing, and tried again with the same key", async (_name, fault) => {
  await using at = await serving(fault, answers(answerText));
  await at.client.extract({ video, schema, idempotencyKey: "mine" });
  expect(at.server.requests.map(({ headers }) => headers["idempotency-key"])).toEqual(["mine", "mine"]);
});

test.each([
  [400, "schema_missing"],
  [400, "schema_invalid"],
  [400, "invalid_request"],
  [400, "video_unreachable"],
  [401, "unauthorised"],
  [402, "out_of_minutes"],
  [404, "not_found"],
  [409, "idempotency_mismatch"],
  [413, "file_too_large"],
  [413, "video_too_long"],
  [415, "media_unreadable"],
  [422, "extraction_failed"],
] as const)("%i %s is told at once, by its code", async (status, code) => {
  const text = JSON.stringify({ error: { code, message: "Why.", details: ["/a: b"] } });
  await using at = await serving(answers(text, status, { "x-request-id": "r", "job-id": "j" }));
  const error = await failure(at.client.extract({ video, schema, idempotencyKey: "mine" }));
  expect(error).toBeInstanceOf(VideoToJsonError);
  expect(error).toMatchObject({ code, status, message: "Why.", details: ["/a: b"], requestId: "r", jobId: "j" });
  expect(error).toMatchObject({ retryable: false });
  expect(at.server.requests).toHaveLength(1);
});

test("a refusal while a large file is on its way is told as what it is", async () => {
  await using file = await temporaryFile(120 * 2 ** 20);
  const early: Handler = (request, response) => {
    request.removeAllListeners("data").pause();
    response.writeHead(401, { "content-type": "application/json" });
    response.end('{"error":{"code":"unauthorised","message":"No."}}');
  };
  await using at = await serving(early);
  const error = await failure(at.client.extract({ video: file.path, schema }));
  expect(error).toMatchObject({ code: "unauthorised", status: 401 });
  expect(at.server.requests).toHaveLength(1);
  expect(holdsOpen(file.path)).toBe(false);
});

test("a refusal that got lost in a cut connection is heard at the second try, before the file is sent again", async () => {
  await using file = await temporaryFile(120 * 2 ** 20);
  const rude: Handler = (request, response) => {
    response.writeHead(402, { "content-type": "application/json" });
    response.end('{"error":{"code":"out_of_minutes","message":"No."}}');
    request.socket.destroySoon();
  };
  await using at = await serving(cuts(2 ** 20), rude);
  const sent: number[] = [];
  const error = await failure(
    at.client.extract({
      video: file.path,
      schema,
      onProgress: (progress) => {
        if (progress.stage === "uploading" && at.server.requests.length > 1) sent.push(progress.sentBytes);
      },
    }),
  );
  expect(error).toMatchObject({ code: "out_of_minutes" });
  expect(sent).toEqual([]);
});

test("what the service asks to wait is waited, and more than a minute is not", async () => {
  await using at = await serving(refuses(503, "provider_unavailable", { "retry-after": "1" }), answers(answerText));
  const waits: number[] = [];
  await at.client.extract({
    video,
    schema,
    onProgress: (progress) => {
      if (progress.stage === "retrying") waits.push(progress.delayMs);
    },
  });
  expect(waits).toEqual([1000]);
  await using long = await serving(refuses(503, "provider_unavailable", { "retry-after": "61" }));
  const error = await failure(long.client.extract({ video, schema }));
  expect(error).toMatchObject({ code: "provider_unavailable", retryAfterSeconds: 61, retryable: true });
  expect(long.server.requests).toHaveLength(1);
});

test("who gives up says by which key the answer can still be had, and never the API key", async () => {
  await using at = await serving(cuts("at once"));
  const client = createClient({ apiKey, baseUrl: at.server.url, retries: 1 });
  const error = await failure(client.extract({ video, schema, idempotencyKey: "find me" }));
  expect(error).toBeInstanceOf(VideoToJsonConnectionError);
  expect(error).toMatchObject({ idempotencyKey: "find me", retryable: true, cause: expect.any(Error) });
  expect(String(error)).toContain('idempotencyKey "find me"');
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(apiKey);
  expect(at.server.requests).toHaveLength(2);
});

test("progress counts the video's bytes up to the last, then tells how long it waits", async () => {
  await using at = await serving((request, response) => {
    request.on("end", () => setTimeout(() => response.end(answerText), 1100));
  });
  const told: Progress[] = [];
  await at.client.extract({ video, schema, onProgress: (progress) => void told.push(progress) });
  const sent = told.flatMap((progress) => (progress.stage === "uploading" ? [progress.sentBytes] : []));
  expect(sent).toEqual([...sent].sort((a, b) => a - b));
  expect([sent[0], sent.at(-1)]).toEqual([0, video.length]);
  expect(told.slice(sent.length).map(({ stage }) => stage)).toEqual(["waiting", "waiting"]);
});

test("an abort ends the call at once with its reason, wherever it is, and lets go of the file", async () => {
  await using file = await temporaryFile(10 * 2 ** 20);
  const silent: Handler = () => {};
  const stalls: Handler = (request) => void request.pause();
  const reason = new Error("enough");
  const cases: [Handler, Progress["stage"]][] = [
    [stalls, "uploading"],
    [silent, "waiting"],
    [refuses(503, "provider_unavailable", { "retry-after": "60" }), "retrying"],
  ];
  for (const [handler, stage] of cases) {
    await using at = await serving(handler);
    const stop = new AbortController();
    const error = await failure(
      at.client.extract({
        video: file.path,
        schema,
        signal: stop.signal,
        onProgress: (progress) => {
          if (progress.stage === stage) stop.abort(reason);
        },
      }),
    );
    expect(error, stage).toBe(reason);
    expect(holdsOpen(file.path)).toBe(false);
  }
  await using at = await serving(silent);
  expect(await failure(at.client.extract({ video, schema, signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect(await failure(at.client.account({ signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect(at.server.requests).toEqual([]);
});

test("what onProgress throws ends the call", async () => {
  await using at = await serving(answers(answerText));
  const thrown = new Error("mine");
  const onProgress = () => {
    throw thrown;
  };
  expect(await failure(at.client.extract({ video, schema, onProgress }))).toBe(thrown);
});

test("a file that cannot be read is told as what it is, and not tried again", async () => {
  await using at = await serving(answers(answerText));
  await using file = await temporaryFile(50 * 2 ** 20);
  const shrink = { current: true };
  const shorter = await failure(
    at.client.extract({
      video: file.path,
      schema,
      onProgress: () => {
        if (shrink.current) void truncate(file.path, 10);
        shrink.current = false;
      },
    }),
  );
  expect(String(shorter)).toContain("became shorter");
  expect(await failure(at.client.extract({ video: file.directory, schema }))).toMatchObject({
    message: expect.stringContaining("is not a file"),
  });
  await rm(file.path);
  expect(await failure(at.client.extract({ video: file.path, schema }))).toMatchObject({ code: "ENOENT" });
  expect(await failure(at.client.extract({ video: "https://example.com/v.mp4", schema }))).toBeInstanceOf(TypeError);
  expect(at.server.requests.length).toBeLessThanOrEqual(1);
});

test("a video that changes between two tries is told of as that", async () => {
  await using at = await serving(cuts(2 ** 20), refuses(409, "idempotency_mismatch"));
  const error = await failure(at.client.extract({ video, schema }));
  expect(error).toMatchObject({ code: "idempotency_mismatch", message: expect.stringContaining("changed between") });
  await using known = await serving(cuts(2 ** 20), refuses(409, "idempotency_mismatch"));
  const own = await failure(known.client.extract({ video, schema, idempotencyKey: "used before" }));
  expect(own).toMatchObject({ code: "idempotency_mismatch", message: "It is idempotency_mismatch." });
});

test("arguments that cannot be sent are told before anything is", async () => {
  await using at = await serving(answers(answerText));
  const { client } = at;
  const wrong = [
    client.extract({ video, schema, idempotencyKey: "" }),
    client.extract({ video, schema, idempotencyKey: "é" }),
    client.extract({ schema } as never),
    client.extract({ video, videoUrl: "https://example.com", schema } as never),
    client.extract({ video: 7 as never, schema }),
    client.extract({ video, schema: undefined as never }),
    client.extract({ video, schema: [] }),
  ];
  for (const call of wrong) expect(await failure(call)).toBeInstanceOf(TypeError);
  expect(at.server.requests).toEqual([]);
});

test("after the call has ended, nothing is told any more", async () => {
  await using file = await temporaryFile(60 * 2 ** 20);
  await using at = await serving((_request, response) => void response.writeHead(413).end("no"));
  const state = { ended: false, late: 0 };
  const onProgress = () => {
    if (state.ended) state.late += 1;
  };
  await failure(at.client.extract({ video: file.path, schema, onProgress }).finally(() => (state.ended = true)));
  await at.server[Symbol.asyncDispose]();
  expect(state).toEqual({ ended: true, late: 0 });
});
