import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Question } from "../analysis-provider.ts";
import { type Act, sendError, startFaultServer } from "./testing/fault-server.ts";
import { jobRun, makeVideoFile, openTestGemini } from "./testing/test-gemini.ts";

let file: Awaited<ReturnType<typeof makeVideoFile>>;
beforeAll(async () => {
  file = await makeVideoFile(1000);
});
afterAll(() => file[Symbol.asyncDispose]());

const question: Question = { model: "small", system: "rules", prompt: "question", responseSchema: null };
const models = { small: ["small-1", "small-2"], large: ["large-1"] };
const refuse =
  (status: number, message: string): Act =>
  ({ response }) =>
    sendError(response, status, message);
const overloaded = refuse(503, "This model is currently experiencing high demand.");
const outOfQuota = refuse(429, "Quota exceeded for metric: x, limit: 0, model: y");

/** Asks the questions of one job after the other. Returns the models that were asked, in order. */
async function asked(acts: Act[], questions: Question[] = [question]) {
  await using server = await startFaultServer();
  const opened = openTestGemini(server.url, { models });
  server.next("generate", ...acts);
  const answers = await opened.gemini
    .withVideo(file.video, jobRun(), async (ask) => {
      const all = [];
      for (const each of questions) all.push(await ask(each).catch((error: unknown) => error));
      return all;
    })
    .finally(() => opened.gemini.close());
  const order = server.seen.flatMap(({ url }) => /models\/(.+):/.exec(url)?.[1] ?? []);
  return { ...opened, answers, order };
}

describe("the next model of the list answers", () => {
  test("after two 503 of the one before, and gets the questions that follow at once", async () => {
    const { order, observed, rateLimits } = await asked([overloaded, overloaded], [question, question]);
    expect(order).toEqual(["small-1", "small-1", "small-2", "small-2"]);
    expect(observed.filter((event) => event === "fallback small")).toHaveLength(1);
    expect(rateLimits).toEqual([]);
  });

  test("after one 404 of a retired model, which the operator learns", async () => {
    const { order, pauses, gemini } = await asked([refuse(404, "models/small-1 is not found for API version v1beta.")]);
    expect(order).toEqual(["small-1", "small-2"]);
    expect(pauses.every((ms) => ms < 1_000)).toBe(true);
    await expect(gemini.access()).rejects.toThrow("models/small-1 is not found");
  });

  test("while the quota of the one before is used up, and no job pauses", async () => {
    const { order, rateLimits } = await asked([refuse(429, "Quota. Please retry in 50s.")], [question, question]);
    expect(order).toEqual(["small-1", "small-2", "small-2"]);
    expect(rateLimits).toEqual([]);
  });

  test("until the one before is open again", async () => {
    const refuseBriefly = refuse(429, "Quota. Please retry in 1s.");
    const { order } = await asked(
      [refuseBriefly, overloaded, overloaded, overloaded, overloaded, overloaded],
      [question],
    );
    expect(order.slice(0, 2)).toEqual(["small-1", "small-2"]);
    expect(order.slice(2)).toContain("small-1");
  });
});

test("a model that may take no more questions is left out; without another one, the question and the jobs wait", async () => {
  const ask = async (small: string[]) => {
    await using server = await startFaultServer();
    let left = 1;
    const limits = {
      waitMs: (model: string) => (model === "small-1" && left <= 0 ? 30_000 : 0),
      ask: () => void left--,
      use() {},
    };
    const clock = {
      now: () => Date.now() + (pauses[0] ?? 0),
      async wait(ms: number) {
        pauses.push(ms);
        left = 1;
      },
    };
    const pauses: number[] = [];
    const { gemini, rateLimits } = openTestGemini(server.url, { models: { ...models, small }, limits, clock });
    await gemini.withVideo(file.video, jobRun(), async (ask) => [await ask(question), await ask(question)]);
    await gemini.close();
    return { order: server.seen.flatMap(({ url }) => /models\/(.+):/.exec(url)?.[1] ?? []), pauses, rateLimits };
  };
  const { order, rateLimits } = await ask(["small-1", "small-2"]);
  expect([order, rateLimits]).toEqual([["small-1", "small-2"], []]);
  const alone = await ask(["small-1"]);
  expect(alone.order).toEqual(["small-1", "small-1"]);
  expect(alone.pauses[0]).toBeGreaterThanOrEqual(30_000);
  expect(alone.rateLimits).toEqual(alone.pauses);
});

test("without a model that has quota the job ends at once, and the jobs that wait pause for a minute", async () => {
  const { order, answers, rateLimits } = await asked([outOfQuota, outOfQuota]);
  expect(order).toEqual(["small-1", "small-2"]);
  expect(answers).toMatchObject([{ code: "provider_unavailable", retryAfterSeconds: 60 }]);
  expect(rateLimits).toEqual([60_000]);
});

test("a quota of the large model pauses no job, because other jobs need the small one", async () => {
  const { rateLimits, answers } = await asked([outOfQuota], [{ ...question, model: "large" }]);
  expect(answers).toMatchObject([{ name: "Problem", code: "provider_unavailable" }]);
  expect(rateLimits).toEqual([]);
});

describe("optional questions", () => {
  const optional: Question = { ...question, check: "evidence" };

  test("end at their first 429 for the whole job, and pause neither jobs nor first questions", async () => {
    const { order, answers, pauses, rateLimits } = await asked(
      [refuse(429, "Quota. Please retry in 26s.")],
      [optional, { ...optional, check: "second_look" }, question],
    );
    expect(order).toEqual(["small-1", "small-1"]);
    expect(answers).toMatchObject([
      { code: "provider_unavailable" },
      { code: "provider_unavailable" },
      { text: expect.any(String) },
    ]);
    expect([pauses, rateLimits]).toEqual([[], []]);
  });

  test("give way while a first question waits for the quota of the model", async () => {
    await using server = await startFaultServer();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: waiting, resolve: waits } = Promise.withResolvers<void>();
    const wait = () => {
      waits();
      return released;
    };
    const { gemini } = openTestGemini(server.url, { clock: { now: Date.now, wait } });
    server.next("generate", refuse(429, "Quota. Please retry in 50s."));
    const first = gemini.withVideo(file.video, jobRun(), (ask) => ask(question));
    await waiting;
    const second = gemini.withVideo(file.video, jobRun(), (ask) => ask(optional));
    await expect(second).rejects.toMatchObject({ code: "provider_unavailable" });
    release();
    expect(await first).toMatchObject({ model: "small-1" });
    await gemini.close();
    expect(server.calls().filter((call) => call === "generate")).toHaveLength(2);
  });
});
