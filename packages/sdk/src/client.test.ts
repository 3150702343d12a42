import { rm, truncate, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { expect, expectTypeOf, test as testAlone } from "vitest";
import { createClient } from "./client.ts";
import { VideoToJsonConnectionError } from "./errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "./errors/video-to-json-error.ts";
import type { Progress } from "./extract/progress.ts";
import { answers, answerText, cuts, type Handler, refuses } from "./testing/start-fault-server.ts";
import { apiKey, errorOf, schema, startServerAndClient, video } from "./testing/start-server-and-client.ts";
import { holdsOpen, temporaryFile } from "./testing/temporary-file.ts";

// The tests spend most of their time waiting between tries.
const test = testAlone.concurrent;

test("an upload announces its length and carries the unchanged schema before the file", async () => {
  await using at = await startServerAndClient(
    answers(answerText, 200, { "idempotent-replayed": "true", "second-look-result": "confirmed=5, moved=1" }),
  );
  const answer = await at.client.extract({
    video,
    fileName: 'a "b"\n.mp4',
    schema: '{ "2":0.0,"1":0 }',
    instructions: "é",
  });
  expect(answer).toEqual({
    ...JSON.parse(answerText),
    json: answerText,
    replayed: true,
    warnings: [],
    secondLook: { confirmed: 5, moved: 1 },
  });
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

test("the type of the data follows from a schema in the call, and two videos do not compile", async () => {
  await using at = await startServerAndClient(answers(answerText));
  const sketch = await at.client.extract({ video, schema: { b: "number", "c?": "x|y" } });
  expectTypeOf(sketch.data).toEqualTypeOf<{ b: number; c?: "x" | "y" }>();
  const { data } = await at.client.extract({
    videoUrl: "https://example.com",
    schema: { type: "object", properties: { b: { type: "number" } }, required: ["b"] },
  });
  expectTypeOf(data).toEqualTypeOf<{ b: number }>();
  const text = await at.client.extract({ video, schema: JSON.stringify({ b: "number" }) });
  expectTypeOf(text.data).toEqualTypeOf<unknown>();
  // @ts-expect-error: a video or its URL, not both.
  await errorOf(at.client.extract({ video, videoUrl: "https://example.com", schema }));
});

test("a path, a file URL, a Blob, a File and bytes send the same video", async () => {
  await using file = await temporaryFile(0, "clip one.mp4");
  await writeFile(file.path, video);
  await using at = await startServerAndClient(answers(answerText));
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

test("a clip and a detail are fields of the form, and nothing is sent without them", async () => {
  await using at = await startServerAndClient(answers(answerText));
  await at.client.extract({ video, schema, clip: { start: "01:05", end: "02:30" }, detail: "high" });
  await at.client.extract({ video, schema });
  const [asked, plain] = [at.server.bodyOf(0).toString(), at.server.bodyOf(1).toString()];
  expect(asked).toContain('name="clip"\r\n\r\n{"start":"01:05","end":"02:30"}\r\n');
  expect(asked).toContain('name="detail"\r\n\r\nhigh\r\n');
  expect(plain).not.toMatch(/name="(clip|detail)"/);
});

test("a URL is sent as video_url, and U+FFFD in a schema is sent as an escape", async () => {
  await using at = await startServerAndClient(answers(answerText));
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
])("a connection that breaks %s is retried with the same idempotency key and the same body", async (_when, fault) => {
  await using at = await startServerAndClient(fault, answers(answerText));
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
  ["a truncated answer", answers(answerText.slice(0, 30))],
  ["internal_error", refuses(500, "internal_error")],
  ["rate_limited", refuses(429, "rate_limited", { "retry-after": "0" })],
  ["too_many_jobs", refuses(429, "too_many_jobs", { "retry-after": "0" })],
  ["provider_unavailable", refuses(503, "provider_unavailable", { "retry-after": "0" })],
])("%s is transient and retried with the same idempotency key", async (_name, fault) => {
  await using at = await startServerAndClient(fault, answers(answerText));
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
] as const)("%i %s is thrown at once with its code", async (status, code) => {
  const text = JSON.stringify({ error: { code, message: "Why.", details: ["/a: b"] } });
  await using at = await startServerAndClient(answers(text, status, { "x-request-id": "r", "job-id": "j" }));
  const error = await errorOf(at.client.extract({ video, schema, idempotencyKey: "mine" }));
  expect(error).toBeInstanceOf(VideoToJsonError);
  expect(error).toMatchObject({ code, status, message: "Why.", details: ["/a: b"], requestId: "r", jobId: "j" });
  expect(error).toMatchObject({ retryable: false });
  expect(at.server.requests).toHaveLength(1);
});

test("a refusal during a large upload is thrown with its code", async () => {
  await using file = await temporaryFile(120 * 2 ** 20);
  const early: Handler = (request, response) => {
    request.removeAllListeners("data").pause();
    response.writeHead(401, { "content-type": "application/json" });
    response.end('{"error":{"code":"unauthorised","message":"No."}}');
  };
  await using at = await startServerAndClient(early);
  const error = await errorOf(at.client.extract({ video: file.path, schema }));
  expect(error).toMatchObject({ code: "unauthorised", status: 401 });
  expect(at.server.requests).toHaveLength(1);
  expect(holdsOpen(file.path)).toBe(false);
});

test("a refusal that was lost in a broken connection arrives in the second try, before the file is sent again", async () => {
  await using file = await temporaryFile(120 * 2 ** 20);
  const rude: Handler = (request, response) => {
    response.writeHead(402, { "content-type": "application/json" });
    response.end('{"error":{"code":"out_of_minutes","message":"No."}}');
    request.socket.destroySoon();
  };
  await using at = await startServerAndClient(cuts(2 ** 20), rude);
  const sent: number[] = [];
  const error = await errorOf(
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

test("the client waits as long as Retry-After says, but not longer than a minute", async () => {
  await using at = await startServerAndClient(
    refuses(503, "provider_unavailable", { "retry-after": "1" }),
    answers(answerText),
  );
  const waits: number[] = [];
  await at.client.extract({
    video,
    schema,
    onProgress: (progress) => {
      if (progress.stage === "retrying") waits.push(progress.delayMs);
    },
  });
  expect(waits).toEqual([1000]);
  await using long = await startServerAndClient(refuses(503, "provider_unavailable", { "retry-after": "61" }));
  const error = await errorOf(long.client.extract({ video, schema }));
  expect(error).toMatchObject({ code: "provider_unavailable", retryAfterSeconds: 61, retryable: true });
  expect(long.server.requests).toHaveLength(1);
});

test("the last connection error names the idempotency key, and never the API key", async () => {
  await using at = await startServerAndClient(cuts("at once"));
  const client = createClient({ apiKey, baseUrl: at.server.url, retries: 1 });
  const error = await errorOf(client.extract({ video, schema, idempotencyKey: "find me" }));
  expect(error).toBeInstanceOf(VideoToJsonConnectionError);
  expect(error).toMatchObject({ idempotencyKey: "find me", retryable: true, cause: expect.any(Error) });
  expect(String(error)).toContain('idempotencyKey "find me"');
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(apiKey);
  expect(at.server.requests).toHaveLength(2);
});

test("progress counts the video's bytes up to the last, then reports the waiting time", async () => {
  await using at = await startServerAndClient((request, response) => {
    request.on("end", () => setTimeout(() => response.end(answerText), 1100));
  });
  const steps: Progress[] = [];
  await at.client.extract({ video, schema, onProgress: (progress) => void steps.push(progress) });
  const sent = steps.flatMap((progress) => (progress.stage === "uploading" ? [progress.sentBytes] : []));
  expect(sent).toEqual([...sent].sort((a, b) => a - b));
  expect([sent[0], sent.at(-1)]).toEqual([0, video.length]);
  const later = steps.slice(sent.length).map(({ stage }) => stage);
  expect(later.length).toBeGreaterThanOrEqual(2);
  expect(new Set(later)).toEqual(new Set(["waiting"]));
});

test("an abort ends the call in every stage with its reason and closes the file", async () => {
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
    await using at = await startServerAndClient(handler);
    const stop = new AbortController();
    const error = await errorOf(
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
  await using at = await startServerAndClient(silent);
  expect(await errorOf(at.client.extract({ video, schema, signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect(await errorOf(at.client.account({ signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect(at.server.requests).toEqual([]);
});

test("an error that onProgress throws ends the call", async () => {
  await using at = await startServerAndClient(answers(answerText));
  const thrown = new Error("mine");
  const onProgress = () => {
    throw thrown;
  };
  expect(await errorOf(at.client.extract({ video, schema, onProgress }))).toBe(thrown);
});

test("the read error of a file is thrown and not retried", async () => {
  await using at = await startServerAndClient(answers(answerText));
  await using file = await temporaryFile(50 * 2 ** 20);
  const shrink = { current: true };
  const shorter = await errorOf(
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
  expect(await errorOf(at.client.extract({ video: file.directory, schema }))).toMatchObject({
    message: expect.stringContaining("is not a file"),
  });
  await rm(file.path);
  expect(await errorOf(at.client.extract({ video: file.path, schema }))).toMatchObject({ code: "ENOENT" });
  expect(await errorOf(at.client.extract({ video: "https://example.com/v.mp4", schema }))).toBeInstanceOf(TypeError);
  expect(at.server.requests.length).toBeLessThanOrEqual(1);
});

test("a video that changes between two tries gets an error that says so", async () => {
  await using at = await startServerAndClient(cuts(2 ** 20), refuses(409, "idempotency_mismatch"));
  const error = await errorOf(at.client.extract({ video, schema }));
  expect(error).toMatchObject({ code: "idempotency_mismatch", message: expect.stringContaining("changed between") });
  await using known = await startServerAndClient(cuts(2 ** 20), refuses(409, "idempotency_mismatch"));
  const own = await errorOf(known.client.extract({ video, schema, idempotencyKey: "used before" }));
  expect(own).toMatchObject({ code: "idempotency_mismatch", message: "It is idempotency_mismatch." });
});

test("arguments that cannot be sent are refused before anything is sent", async () => {
  await using at = await startServerAndClient(answers(answerText));
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
  for (const call of wrong) expect(await errorOf(call)).toBeInstanceOf(TypeError);
  expect(at.server.requests).toEqual([]);
});

test("onProgress is not called after the end of the call", async () => {
  await using file = await temporaryFile(60 * 2 ** 20);
  await using at = await startServerAndClient((_request, response) => void response.writeHead(413).end("no"));
  const state = { ended: false, late: 0 };
  const onProgress = () => {
    if (state.ended) state.late += 1;
  };
  await errorOf(at.client.extract({ video: file.path, schema, onProgress }).finally(() => (state.ended = true)));
  await at.server[Symbol.asyncDispose]();
  expect(state).toEqual({ ended: true, late: 0 });
});
