import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask as askAbout, generated, question, refuse, times } from "./testing/ask-questions.ts";
import { type Act, answerOf, type FaultServer, sendError, sendJson, startFaultServer } from "./testing/fault-server.ts";
import { jobRun, makeVideoFile, openTestGemini } from "./testing/test-gemini.ts";

let file: Awaited<ReturnType<typeof makeVideoFile>>;
beforeAll(async () => {
  file = await makeVideoFile(1000);
});
afterAll(() => file[Symbol.asyncDispose]());
const ask = (server: FaultServer, ...rest: Rest) => askAbout(server, file.video, ...rest);
type Rest = Parameters<typeof askAbout> extends [unknown, unknown, ...infer Others] ? Others : never;

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
