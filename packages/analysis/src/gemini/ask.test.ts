import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Question } from "../analysis-provider.ts";
import { ask as askAbout, generated, question, refuse } from "./testing/ask-questions.ts";
import { answerOf, type FaultServer, sendJson, startFaultServer } from "./testing/fault-server.ts";
import { jobRun, makeVideoFile, openTestGemini } from "./testing/test-gemini.ts";

let file: Awaited<ReturnType<typeof makeVideoFile>>;
beforeAll(async () => {
  file = await makeVideoFile(1000);
});
afterAll(() => file[Symbol.asyncDispose]());
const ask = (server: FaultServer, ...rest: Rest) => askAbout(server, file.video, ...rest);
type Rest = Parameters<typeof askAbout> extends [unknown, unknown, ...infer Others] ? Others : never;

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
    "at a share of %d of the daily budget, optional questions end first; then no job starts or uploads",
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
