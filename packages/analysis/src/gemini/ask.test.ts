import { gzipSync } from "node:zlib";
import type { Detail } from "@video-to-json/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Question } from "../analysis-provider.ts";
import type { GeminiOptions } from "./create-gemini-provider.ts";
import { type Act, answerOf, type FaultServer, sendError, sendJson, startFaultServer } from "./testing/fault-server.ts";
import { jobRun, makeVideoFile, openTestGemini } from "./testing/test-gemini.ts";

let file: Awaited<ReturnType<typeof makeVideoFile>>;
beforeAll(async () => {
  file = await makeVideoFile(1000);
});
afterAll(() => file[Symbol.asyncDispose]());

const question: Question = { model: "small", system: "rules", prompt: "question", responseSchema: { type: "object" } };

/** Asks the questions one after the other about one copy. */
async function ask(
  server: FaultServer,
  questions: Question[] = [question],
  run = jobRun(),
  detail?: Detail,
  options: Partial<GeminiOptions> = {},
) {
  const opened = openTestGemini(server.url, options);
  const answers = opened.gemini
    .withVideo({ ...file.video, ...(detail && { detail }) }, run, async (askOne) => {
      const given = [];
      for (const each of questions) given.push(await askOne(each));
      return given;
    })
    .finally(() => opened.gemini.close());
  return { ...opened, answers: await answers.catch((error) => error) };
}

const generated = (server: FaultServer) =>
  server.seen.filter(({ call }) => call === "generate").map(({ url, body }) => ({ url, body: JSON.parse(body) }));
const refuse =
  (status: number, message: string, reason?: string, details?: unknown[]): Act =>
  ({ response }) =>
    sendError(response, status, message, reason, details);
const times = (count: number, act: Act) => Array.from({ length: count }, () => act);

describe("a clip", () => {
  const clip = { bytes: Buffer.from("a clip"), mimeType: "video/mp4", durationMs: 9_000, framesPerSecond: 5 };

  test("is sent inside the question, with how many pictures a second to look at; the provider stores nothing of it", async () => {
    await using server = await startFaultServer();
    const { answers } = await ask(server, [{ ...question, clip }]);
    expect(answers).toEqual([{ text: '{"ok":true}', model: "small-1" }]);
    const [{ body } = { body: {} }] = generated(server);
    expect(body.contents[0].parts).toEqual([
      { inlineData: { mimeType: "video/mp4", data: clip.bytes.toString("base64") }, videoMetadata: { fps: 5 } },
      { text: "question" },
    ]);
    expect(server.seen.filter(({ call }) => call === "start")).toHaveLength(1);
  });

  test("whose schema is refused does not take the schema from the job's own questions", async () => {
    await using server = await startFaultServer();
    server.next("generate", refuse(400, "The schema has too many states for serving."));
    await ask(server, [{ ...question, clip, responseSchema: { type: "array" } }, question]);
    const schemas = generated(server).map(({ body }) => body.generationConfig.responseJsonSchema);
    expect(schemas).toEqual([{ type: "array" }, undefined, { type: "object" }]);
  });

  test("is not sent again and again when the provider says that its file is gone", async () => {
    await using server = await startFaultServer();
    server.next("generate", refuse(403, "You do not have permission to access the File x or it may not exist."));
    const { answers } = await ask(server, [{ ...question, clip }]);
    expect(answers).toMatchObject({ code: "provider_unavailable" });
    expect(generated(server)).toHaveLength(1);
  });
});

test("the tokens of an answer are those that the provider counts", async () => {
  await using server = await startFaultServer();
  const usageMetadata = {
    promptTokenCount: 860,
    totalTokenCount: 900,
    promptTokensDetails: [
      { modality: "VIDEO", tokenCount: 700 },
      { modality: "AUDIO", tokenCount: 100 },
    ],
  };
  server.next("generate", ({ response }) => sendJson(response, 200, { ...answerOf("{}"), usageMetadata }));
  expect((await ask(server)).answers).toMatchObject([{ tokens: { total: 900, audio: 100 } }]);
});
test.each([
  ["low", { fps: 0.5 }, "MEDIA_RESOLUTION_LOW"],
  ["standard", undefined, undefined],
  ["high", { fps: 2 }, "MEDIA_RESOLUTION_HIGH"],
] as const)(
  "the detail %s decides the pictures that the model sees",
  async (detail, videoMetadata, mediaResolution) => {
    await using server = await startFaultServer();
    await ask(server, [question], jobRun(), detail);
    const [{ body } = { body: {} }] = generated(server);
    expect(body.contents[0].parts[0].videoMetadata).toEqual(videoMetadata);
    expect(body.generationConfig.mediaResolution).toBe(mediaResolution);
  },
);

test("the model of an answer is the one that answered, not the one that was asked", async () => {
  await using server = await startFaultServer();
  server.answer({ ...answerOf("{}"), modelVersion: "small-2-preview" });
  expect((await ask(server)).answers).toMatchObject([{ model: "small-2-preview" }]);
  server.answer({ ...answerOf("{}"), modelVersion: undefined });
  expect((await ask(server)).answers).toMatchObject([{ model: "small-1" }]);
});

test("an answer about a video with sound for which no sound was counted is logged and counted", async () => {
  await using server = await startFaultServer();
  const opened = openTestGemini(server.url);
  const usageMetadata = (audio: number) => ({
    ...{ promptTokenCount: 860, totalTokenCount: 900 },
    promptTokensDetails: [
      { modality: "VIDEO", tokenCount: 700 },
      { modality: "AUDIO", tokenCount: audio },
    ],
  });
  for (const [audio, hasSound] of [
    [0, true],
    [0, false],
    [250, true],
  ] as const) {
    server.next("generate", ({ response }) => {
      sendJson(response, 200, { ...answerOf("{}"), usageMetadata: usageMetadata(audio) });
    });
    await opened.gemini.withVideo({ ...file.video, hasSound }, jobRun(), (askOne) => askOne(question));
  }
  await opened.gemini.close();
  expect(opened.observed.filter((event) => event === "sound missing")).toHaveLength(1);
  expect(opened.logged).toContainEqual(expect.objectContaining({ msg: "provider counted no sound" }));
});

const usage = (pictures: number, perPicture: number, more: object = {}) => {
  const promptTokensDetails = [
    { modality: "VIDEO", tokenCount: pictures * perPicture },
    { modality: "AUDIO", tokenCount: 250 },
  ];
  const promptTokenCount = pictures * perPicture + 250;
  return { promptTokenCount, totalTokenCount: promptTokenCount, promptTokensDetails, ...more };
};

test.each([
  ["low", 5, 70],
  ["standard", 10, 70],
  ["high", 20, 280],
] as const)(
  "a picture of a clip has the price of a picture of the usual size, although the video was looked at with detail %s",
  async (detail, pictures, perPicture) => {
    await using server = await startFaultServer();
    server.answer({ ...answerOf("{}"), usageMetadata: usage(pictures, perPicture) });
    const { answers } = await ask(server, [question], jobRun(), detail, { prices });
    expect(answers[0].tokens.rates).toEqual({
      picture: 70 / 1e6,
      soundSecond: expect.closeTo(25 / 1e6, 12),
      input: 1 / 1e6,
      output: 2 / 1e6,
    });
  },
);

const prices = { "small-1": { input: 1, output: 2, cached: 0.5 } };

test("a question costs what its model asks, cached tokens less, and the metrics know what asked", async () => {
  await using server = await startFaultServer();
  const spent: unknown[] = [];
  const counts = { cachedContentTokenCount: 400, candidatesTokenCount: 90, thoughtsTokenCount: 10 };
  server.answer({ ...answerOf("{}"), usageMetadata: usage(10, 70, counts) });
  const { observed } = await ask(server, [question, { ...question, check: "lists" }], jobRun(), undefined, {
    prices,
    spending: { add: (dollars) => spent.push(dollars), share: () => 0 },
  });
  const dollars = (550 + 400 * 0.5 + 100 * 2) / 1e6;
  expect(spent).toEqual([expect.closeTo(dollars, 9), expect.closeTo(dollars, 9)]);
  expect(observed.filter((event) => event.startsWith("tokens"))).toEqual([
    `tokens small answer ${dollars.toFixed(6)}`,
    `tokens small lists ${dollars.toFixed(6)}`,
  ]);
});

describe("the dollars that the operator allows", () => {
  const of = (share: number) => ({ spending: { add() {}, share: () => share } });

  test.each([
    [0.79, [2, 1]],
    [0.8, [1, 1]],
    [1, [0, 0]],
  ])(
    "at a share of %d, optional questions end first, then no job starts or uploads",
    async (share, [questions, uploads]) => {
      await using server = await startFaultServer();
      const optional: Question = { ...question, check: "evidence" };
      const opened = openTestGemini(server.url, of(share));
      const job = opened.gemini.withVideo(file.video, jobRun(), async (askOne) => {
        await askOne(question);
        return askOne(optional);
      });
      if (share < 0.8) expect(await job).toMatchObject({ model: "small-1" });
      else await expect(job).rejects.toMatchObject({ code: "provider_unavailable" });
      await opened.gemini.close();
      expect(generated(server)).toHaveLength(questions ?? 0);
      expect(server.calls().filter((call) => call === "start")).toHaveLength(uploads ?? 0);
    },
  );
});

test("the output is bounded, for clips more, and only after an answer was cut off as long as the model allows", async () => {
  await using server = await startFaultServer();
  const clip = { bytes: Buffer.from("a clip"), mimeType: "video/mp4", durationMs: 9_000, framesPerSecond: 5 };
  const { gemini } = openTestGemini(server.url);
  await gemini.withVideo(file.video, jobRun(), async (askOne) => {
    await askOne(question);
    await askOne({ ...question, clip });
    server.next("generate", ({ response }) => sendJson(response, 200, answerOf("{}", { finishReason: "MAX_TOKENS" })));
    await askOne(question).catch(() => {});
    await askOne(question);
  });
  await gemini.close();
  const limits = generated(server).map(({ body }) => body.generationConfig.maxOutputTokens);
  expect(limits).toEqual([16_384, 4_096, 16_384, 65_536]);
});

test("thinking and the size of the pictures of clips are settings of a model", async () => {
  await using server = await startFaultServer();
  const clip = { bytes: Buffer.from("a clip"), mimeType: "video/mp4", durationMs: 9_000, framesPerSecond: 5 };
  const modelOptions = {
    thinkingLevels: { "large-1": "LOW" },
    clipResolutions: { "small-1": "MEDIA_RESOLUTION_HIGH" },
  };
  const questions: Question[] = [question, { ...question, clip }, { ...question, model: "large", clip }];
  await ask(server, questions, jobRun(), undefined, { modelOptions });
  const configs = generated(server).map(({ body: { generationConfig } }) => [
    generationConfig.thinkingConfig?.thinkingLevel,
    generationConfig.mediaResolution,
  ]);
  expect(configs).toEqual([
    [undefined, undefined],
    [undefined, "MEDIA_RESOLUTION_HIGH"],
    ["LOW", undefined],
  ]);
});

describe("a key of the unpaid tier", () => {
  const details = [{ violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier" }] }];

  async function twoJobs(server: FaultServer, options: { allowFreeTier?: boolean }) {
    const opened = openTestGemini(server.url, options);
    server.next("generate", refuse(429, "Quota.", "RESOURCE_EXHAUSTED", details));
    const run = () =>
      opened.gemini
        .withVideo(file.video, jobRun(), (askOne) => askOne(question))
        .catch(({ code }: { code: string }) => code);
    const ends = [await run(), await run()];
    await opened.gemini.close();
    return { ...opened, ends };
  }

  test("starts no further job, is an error in the log and is counted", async () => {
    await using server = await startFaultServer();
    const { ends, logged, observed } = await twoJobs(server, {});
    expect(ends).toEqual([expect.objectContaining({ model: "small-1" }), "provider_unavailable"]);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(1);
    expect(logged).toContainEqual(expect.objectContaining({ msg: expect.stringContaining("unpaid tier") }));
    expect(observed).toContain("free tier");
  });

  test("is used where the operator allows it", async () => {
    await using server = await startFaultServer();
    const { ends } = await twoJobs(server, { allowFreeTier: true });
    expect(ends).toEqual([
      expect.objectContaining({ model: "small-1" }),
      expect.objectContaining({ model: "small-1" }),
    ]);
  });
});

describe("the request", () => {
  test("forbids Google to store the question and its answer", async () => {
    await using server = await startFaultServer();
    const clip = { bytes: Buffer.from("a clip"), mimeType: "video/mp4", durationMs: 9_000, framesPerSecond: 5 };
    await ask(server, [question, { ...question, model: "large", responseSchema: null }, { ...question, clip }]);
    expect(generated(server).map(({ body }) => body.store)).toEqual([false, false, false]);
  });

  test("has the video before the text and the schema of the JSON, and nothing that newer models refuse", async () => {
    await using server = await startFaultServer();
    const { answers } = await ask(server);
    expect(answers).toEqual([{ text: '{"ok":true}', model: "small-1" }]);
    const [{ url, body } = { url: "", body: {} }] = generated(server);
    const [stored] = server.seen.filter(({ call }) => call === "get");
    expect(url).toBe("/v1beta/models/small-1:generateContent");
    expect(body.contents).toEqual([
      {
        role: "user",
        parts: [
          {
            fileData: {
              fileUri: `https://generativelanguage.googleapis.com${stored?.url}`,
              mimeType: "video/mp4",
            },
          },
          { text: "question" },
        ],
      },
    ]);
    expect(body.systemInstruction.parts).toEqual([{ text: "rules" }]);
    expect(body.generationConfig).toEqual({
      maxOutputTokens: 16_384,
      responseMimeType: "application/json",
      responseJsonSchema: { type: "object" },
    });
    const seen = server.seen.find(({ call }) => call === "generate");
    expect(seen?.headers).toMatchObject({ "x-goog-api-key": "test-key-1", "content-type": "application/json" });
  });

  test("a question without a schema still asks for JSON; the large model has its own id", async () => {
    await using server = await startFaultServer();
    await ask(server, [{ ...question, model: "large", responseSchema: null }]);
    expect(generated(server)[0]).toMatchObject({
      url: "/v1beta/models/large-1:generateContent",
      body: { generationConfig: { responseMimeType: "application/json" } },
    });
    expect(generated(server)[0]?.body.generationConfig).not.toHaveProperty("responseJsonSchema");
  });

  test("asks for uncompressed replies, and a compressed reply is read anyway", async () => {
    await using server = await startFaultServer();
    server.next("generate", ({ response }) => {
      response.setHeader("content-encoding", "gzip").end(gzipSync(JSON.stringify(answerOf("{}"))));
    });
    expect((await ask(server)).answers).toEqual([{ text: "{}", model: "small-1" }]);
    expect(new Set(server.seen.map(({ headers }) => headers["accept-encoding"]))).toEqual(new Set(["identity"]));
  });

  test("the global fetch is restored as soon as a call has started", async () => {
    await using server = await startFaultServer();
    const native = globalThis.fetch;
    const during: unknown[] = [];
    server.next("generate", async ({ proceed }) => {
      during.push(globalThis.fetch);
      await proceed();
    });
    await ask(server);
    expect([...during, globalThis.fetch]).toEqual([native, native]);
  });
});

describe("a refusal", () => {
  test.each([
    "The specified schema produces a constraint that has too many states for serving.",
    "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.",
    "Request contains an invalid argument.",
  ])("of the schema (%s) leads to questions without it, for the rest of the job", async (message) => {
    await using server = await startFaultServer();
    server.next("generate", refuse(400, message));
    const { answers, pauses } = await ask(server, [question, question, { ...question, model: "large" }]);
    expect(answers).toHaveLength(3);
    const constrained = generated(server).map(({ body }) => "responseJsonSchema" in body.generationConfig);
    expect(constrained).toEqual([true, false, false, true]);
    expect(pauses).toEqual([]);
  });

  test("of a schema is remembered for the jobs that follow", async () => {
    await using server = await startFaultServer();
    const { gemini } = openTestGemini(server.url);
    server.next("generate", refuse(400, "The schema has too many states for serving."));
    for (let job = 0; job < 2; job++) await gemini.withVideo(file.video, jobRun(), (askOne) => askOne(question));
    await gemini.close();
    const constrained = generated(server).map(({ body }) => "responseJsonSchema" in body.generationConfig);
    expect(constrained).toEqual([true, false, false]);
  });

  test("without a reason never blames the video: the question loses its schema, then its options, then the job ends", async () => {
    await using server = await startFaultServer();
    server.next("generate", ...times(5, refuse(400, "Request contains an invalid argument.")));
    const { answers, logged } = await ask(server, [question], jobRun(), "high");
    expect(answers).toMatchObject({ code: "provider_unavailable" });
    const options = generated(server).map(({ body: { generationConfig, contents } }) => [
      "responseJsonSchema" in generationConfig,
      "mediaResolution" in generationConfig && "videoMetadata" in contents[0].parts[0],
    ]);
    expect(options).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
    expect(logged).toContainEqual(expect.objectContaining({ msg: "provider refuses a plain question" }));
    expect(server.files.size).toBe(0);
  });

  test("with 401 is tried once more if the key has just worked", async () => {
    await using server = await startFaultServer();
    const unauthorised = refuse(401, "Request had invalid authentication credentials.");
    server.next("generate", ({ proceed }) => proceed(), unauthorised);
    expect((await ask(server, [question, question])).answers).toHaveLength(2);
    server.next("generate", ({ proceed }) => proceed(), unauthorised, unauthorised);
    expect((await ask(server, [question, question])).answers).toMatchObject({ code: "provider_unavailable" });
    expect(generated(server)).toHaveLength(6);
  });

  test.each([401, 402, 403])("with %i keeps the jobs that wait from uploading for a minute", async (status) => {
    await using server = await startFaultServer();
    server.next("generate", refuse(status, "No."));
    expect((await ask(server)).rateLimits).toEqual([60_000]);
  });

  test.each([
    [400, "API key not valid. Please pass a valid API key."],
    [401, "Request had invalid authentication credentials."],
    [403, "Method doesn't allow unregistered callers (callers without established identity)."],
    [404, "models/small-1 is not found for API version v1beta, or is not supported for generateContent."],
  ])(
    "with %i (%s) is the operator's problem: logged, not retried, and hidden from the caller",
    async (status, message) => {
      await using server = await startFaultServer();
      server.next("generate", ...times(5, refuse(status, message)));
      const { answers, logged } = await ask(server);
      expect(answers).toMatchObject({ code: "provider_unavailable", retryAfterSeconds: 60 });
      expect(answers.message).not.toMatch(/model|google|gemini|key/i);
      expect(generated(server)).toHaveLength(1);
      expect(logged).toContainEqual(expect.objectContaining({ status, providerError: message }));
    },
  );

  test("because of the size of the question tells the caller to shorten it", async () => {
    await using server = await startFaultServer();
    server.next("generate", refuse(400, "The input token count exceeds the maximum number of tokens allowed 1048576."));
    expect((await ask(server)).answers).toMatchObject({ code: "extraction_failed", details: [expect.any(String)] });
  });

  test("because the copy has vanished leads to a new upload", async () => {
    await using server = await startFaultServer();
    server.next("generate", ({ response }) => {
      server.files.clear();
      sendError(
        response,
        403,
        "You do not have permission to access the File x or it may not exist.",
        "PERMISSION_DENIED",
      );
    });
    expect((await ask(server)).answers).toHaveLength(1);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(2);
    expect(server.files.size).toBe(0);
  });

  test("because the copy is not ready leads to a pause", async () => {
    await using server = await startFaultServer();
    server.next(
      "generate",
      ...times(2, refuse(400, "The File x is not in an ACTIVE state and usage is not allowed.", "FAILED_PRECONDITION")),
    );
    expect((await ask(server)).answers).toHaveLength(1);
    expect(server.calls().filter((call) => call === "get")).toHaveLength(3);
  });

  test("because the copy is never ready ends the job", async () => {
    await using server = await startFaultServer();
    server.next(
      "generate",
      ...times(
        50,
        refuse(400, "The File x is not in an ACTIVE state and usage is not allowed.", "FAILED_PRECONDITION"),
      ),
    );
    expect((await ask(server)).answers).toMatchObject({ code: "provider_unavailable" });
    expect(generated(server).length).toBeLessThan(10);
  });
});

describe("a transient error", () => {
  const drop: Act = ({ request }) => void request.socket.destroy();
  const halfReply: Act = ({ response, request }) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "5000" }).write('{"candidates":[');
    setImmediate(() => request.socket.destroy());
  };
  test.each<[string, Act]>([
    ["429", refuse(429, "Resource has been exhausted (e.g. check quota).", "RESOURCE_EXHAUSTED")],
    ["500", refuse(500, "An internal error has occurred.", "INTERNAL")],
    ["502 of a proxy", ({ response }) => void response.writeHead(502).end("<html>Bad Gateway</html>")],
    ["503", refuse(503, "The model is overloaded. Please try again later.", "UNAVAILABLE")],
    ["503 in an array", ({ response }) => sendJson(response, 503, [{ error: { code: 503, message: "Overloaded." } }])],
    ["504", refuse(504, "Deadline expired before operation could complete.", "DEADLINE_EXCEEDED")],
    ["a broken connection", drop],
    ["a reply cut in the middle", halfReply],
    ["a reply that is not JSON", ({ response }) => void response.end("<html>Welcome</html>")],
    ["a reply that is JSON, but no object", ({ response }) => void response.end("[1]")],
    ["a reply cut off within its JSON", ({ response }) => void response.end('{"candidates":[{"content"')],
  ])("(%s) is retried, and does not count as an attempt", async (_name, act) => {
    await using server = await startFaultServer();
    server.next("generate", act, act);
    const { answers, pauses } = await ask(server);
    expect(answers).toEqual([{ text: '{"ok":true}', model: "small-1" }]);
    expect(generated(server)).toHaveLength(3);
    expect(pauses).toHaveLength(2);
    expect(pauses[1]).toBeGreaterThan(pauses[0] ?? Number.NaN);
  });

  test("that never ends is retried until the deadline less an attempt; then the copy is deleted", async () => {
    await using server = await startFaultServer();
    server.next("generate", ...times(100, refuse(503, "The model is overloaded.", "UNAVAILABLE")));
    const { answers, pauses } = await ask(server);
    const waitedMs = pauses.reduce((sum, ms) => sum + ms, 0);
    expect(waitedMs).toBeGreaterThan(410_000);
    expect(waitedMs).toBeLessThan(450_000);
    expect(answers).toMatchObject({ code: "provider_unavailable", retryAfterSeconds: expect.any(Number) });
    expect(server.files.size).toBe(0);
  });

  const retryInfo = (retryDelay: string) => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay });

  test("is retried after the delay that Gemini asks for, and the queue is paused for as long", async () => {
    await using server = await startFaultServer();
    server.next("generate", refuse(429, "Quota.", "RESOURCE_EXHAUSTED", [retryInfo("26s")]));
    const { answers, pauses, rateLimits } = await ask(server);
    expect(answers).toHaveLength(1);
    expect(pauses).toHaveLength(1);
    expect(pauses[0]).toBeGreaterThanOrEqual(26_000);
    expect(pauses[0]).toBeLessThan(27_000);
    expect(rateLimits).toEqual(pauses);
  });

  test("in an array is retried after its delay, too", async () => {
    await using server = await startFaultServer();
    const error = { code: 429, message: "Quota.", status: "RESOURCE_EXHAUSTED", details: [retryInfo("9s")] };
    server.next("generate", ({ response }) => sendJson(response, 429, [{ error }]));
    const { pauses } = await ask(server);
    expect(pauses[0]).toBeGreaterThanOrEqual(9_000);
  });

  test("is retried after the delay of Retry-After when the body names none", async () => {
    await using server = await startFaultServer();
    server.next("generate", ({ response }) => void response.writeHead(503, { "retry-after": "12" }).end());
    const { pauses } = await ask(server);
    expect(pauses[0]).toBeGreaterThanOrEqual(12_000);
  });

  test("is not retried when the delay ends after the deadline; the caller learns the delay at once", async () => {
    await using server = await startFaultServer();
    server.next("generate", refuse(429, "Quota.", "RESOURCE_EXHAUSTED", [retryInfo("3600s")]));
    const { answers, pauses } = await ask(server);
    expect(answers).toMatchObject({ code: "provider_unavailable" });
    expect(answers.retryAfterSeconds).toBeGreaterThanOrEqual(3600);
    expect(pauses).toEqual([]);
  });

  test.each([
    [
      "an exhausted daily quota",
      "Quota exceeded.",
      [{ violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] }],
    ],
    ["a quota of zero", "Quota exceeded for metric: x, limit: 0, model: y", []],
    ["a spending cap", "Your project has exceeded its monthly spending cap.", []],
    ["used-up credits", "Your prepayment credits are depleted.", []],
  ])("is not retried when it is %s", async (_name, message, details) => {
    await using server = await startFaultServer();
    server.next("generate", refuse(429, message, "RESOURCE_EXHAUSTED", details));
    const { answers, rateLimits } = await ask(server);
    expect(answers).toMatchObject({ code: "provider_unavailable" });
    expect(generated(server)).toHaveLength(1);
    expect(rateLimits).toEqual([60_000]);
  });
});

test("a redirect is not followed, so the key goes to no other host", async () => {
  await using server = await startFaultServer();
  await using other = await startFaultServer();
  server.next("generate", ({ response }) => void response.writeHead(307, { location: `${other.url}/v1beta/x` }).end());
  expect((await ask(server)).answers).toMatchObject({ code: "provider_unavailable" });
  expect(other.seen).toEqual([]);
});

test("a question without a reply ends with the run and its reason, and the copy is deleted", async () => {
  await using server = await startFaultServer();
  const stop = new AbortController();
  server.next("generate", () => stop.abort(new Error("the job's time is over")));
  const { answers } = await ask(server, [question], jobRun(stop.signal));
  expect(answers).toMatchObject({ message: "the job's time is over" });
  expect(server.files.size).toBe(0);
});

test("a reply that was cut off throws NoAnswer", async () => {
  await using server = await startFaultServer();
  server.answer(answerOf("{}", { finishReason: "MAX_TOKENS" }));
  expect((await ask(server)).answers).toMatchObject({
    name: "NoAnswer",
    violation: expect.stringContaining("cut off"),
  });
});
