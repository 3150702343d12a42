import { Problem } from "@video-to-json/contract";
import type { CompiledSchema } from "@video-to-json/schema";
import { expect, test } from "vitest";
import { analyse } from "./analyse.ts";
import { type AnalysisProvider, NoAnswer, type Question } from "./analysis-provider.ts";

const video = { path: "/nowhere/video.mp4", mimeType: "video/mp4", jobId: "0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a11" };
const text = '{"type":"object"}';
const schema: CompiledSchema = {
  kind: "json-schema",
  schemaText: text,
  fullText: text,
  promptText: text,
  lean: { type: "object" },
};

/** Runs the retry ladder against a model that gives `replies` in turn, and a sandbox that finds these violations. */
function runLadder(replies: (string | Error)[], violationsOf: Record<string, string[]>) {
  const questions: Question[] = [];
  const progress: unknown[] = [];
  const events: string[] = [];
  const stored: unknown[] = [];
  const provider: Pick<AnalysisProvider, "withVideo"> = {
    withVideo: (_video, _run, use) =>
      use(async (question) => {
        questions.push(question);
        const reply = replies.shift() ?? new Error("There are no more replies.");
        if (typeof reply !== "string") throw reply;
        return { text: reply, model: `${question.model}-1` };
      }).finally(() => events.push("copy deleted")),
  };
  const check = async (_schema: unknown, text: string) => {
    const violations = violationsOf[text];
    return violations
      ? { ok: false as const, violations, violationsForCaller: violations.map((text) => `for the caller: ${text}`) }
      : { ok: true as const, text: `checked ${text}` };
  };
  const sandbox = { check, checkPart: check, findTimes: async () => [], findLists: async () => [] };
  const extraction = analyse(
    { provider, sandbox, log: { info() {}, warn() {} } },
    {
      video,
      cutClip: null,
      schema,
      instructions: null,
      durationMs: 12_480,
      signal: new AbortController().signal,
      deadline: new Date(Date.now() + 1000),
      onProgress: (event) => progress.push(event),
      onConforming: async (answer) => {
        stored.push(answer);
        events.push("answer stored");
      },
    },
  ).then(() => stored[0]);
  return { extraction, questions, progress, events };
}

test("a first answer that conforms is returned as the sandbox wrote it, after one question to the small model", async () => {
  const { extraction, questions, progress } = runLadder(["a"], {});
  expect(await extraction).toEqual({ text: "checked a", model: "small-1" });
  expect(questions.map(({ model }) => model)).toEqual(["small"]);
  expect(questions[0]?.responseSchema).toBe(schema.lean);
  expect(progress).toEqual([{ stage: "uploading" }, { stage: "analysing", attempt: 1 }]);
});

test("an answer is stored before the provider copy is deleted, and the copy is also deleted without an answer", async () => {
  const conforming = runLadder(["bad", "good"], { bad: ["/a: one"] });
  await conforming.extraction;
  expect(conforming.events).toEqual(["answer stored", "copy deleted"]);
  const failing = runLadder(["1", "1", "1"], { "1": ["/a: one"] });
  await expect(failing.extraction).rejects.toMatchObject({ code: "extraction_failed" });
  expect(failing.events).toEqual(["copy deleted"]);
});

test("after an answer that does not conform, the same model is asked again with the violations", async () => {
  const { extraction, questions, progress } = runLadder(["bad", "good"], { bad: ["/cuts/0/at: must be MM:SS"] });
  expect(await extraction).toEqual({ text: "checked good", model: "small-1" });
  expect(progress.at(-1)).toEqual({ stage: "analysing", attempt: 2 });
  expect(questions[0]?.prompt).not.toContain("An earlier attempt");
  expect(questions[1]?.prompt).toContain("/cuts/0/at: must be MM:SS");
  expect(questions[1]?.prompt).toMatch(/<answer-[0-9a-f]{32}>\nbad\n/);
});

test("after a second failure the large model is asked once, with the latest violations", async () => {
  const { extraction, questions, progress } = runLadder(["bad", "worse", "good"], {
    bad: ["/a: one"],
    worse: ["/b: two"],
  });
  expect(await extraction).toMatchObject({ model: "large-1" });
  expect(questions.map(({ model }) => model)).toEqual(["small", "small", "large"]);
  expect(questions[2]?.prompt).toContain("/b: two");
  expect(questions[2]?.prompt).not.toContain("/a: one");
  expect(progress.at(-1)).toEqual({ stage: "analysing", attempt: 3 });
});

test("there is no fourth attempt: the caller gets the last violations and no data", async () => {
  const { extraction, questions } = runLadder(["1", "2", "3"], {
    "1": ["/a: one"],
    "2": ["/b: two"],
    "3": ["/c: three"],
  });
  const problem = await extraction.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ code: "extraction_failed", details: ["for the caller: /c: three"] });
  expect(questions).toHaveLength(3);
});

test("a question without an answer is a failed attempt, and keeps the violations of earlier answers", async () => {
  const { extraction, questions } = runLadder(["bad", new NoAnswer("the answer was empty"), new NoAnswer("cut off")], {
    bad: ["/a: one"],
  });
  await expect(extraction).rejects.toMatchObject({
    details: [": cut off", ": the answer was empty", "for the caller: /a: one"],
  });
  expect(questions[2]?.prompt).toContain("- : the answer was empty\n- /a: one");
});

test("an error that another attempt cannot change ends the ladder", async () => {
  const problem = new Problem("provider_unavailable", { reason: "Later." }, { retryAfterSeconds: 7 });
  const { extraction, questions } = runLadder([problem, "good"], {});
  await expect(extraction).rejects.toBe(problem);
  expect(questions).toHaveLength(1);
});

test("a run that is aborted while an answer is validated rejects with the run's reason", async () => {
  const stop = new AbortController();
  const provider: Pick<AnalysisProvider, "withVideo"> = {
    withVideo: (_video, _run, use) => use(async () => ({ text: "a", model: "small-1" })),
  };
  const check = async () => {
    stop.abort(new Error("the deadline passed"));
    throw new Error("the check was aborted");
  };
  const request = {
    video,
    schema,
    instructions: null,
    durationMs: 1000,
    deadline: new Date(),
    cutClip: null,
    onProgress: () => {},
  };
  const log = { info() {}, warn() {} };
  const onConforming = async () => expect.unreachable();
  const sandbox = { check, checkPart: check, findTimes: async () => [], findLists: async () => [] };
  const extraction = analyse({ provider, sandbox, log }, { ...request, onConforming, signal: stop.signal });
  await expect(extraction).rejects.toThrow("the deadline passed");
});

test("a completeness pass over a part of a video stays within the part", async () => {
  const windows: { fromMs: number; toMs: number }[] = [];
  const fullText = '{"properties":{"a":{"items":{}}}}';
  const check = async () => ({ ok: true as const, text: '{"a":[]}' });
  await analyse(
    {
      provider: { withVideo: (_video, _run, use) => use(async () => ({ text: "", model: "small-1" })) },
      sandbox: { check, checkPart: check, findTimes: async () => [], findLists: async () => ["/a"] },
      log: { info() {}, warn() {} },
    },
    {
      ...{ video, schema: { ...schema, fullText }, instructions: null, durationMs: 900_000 },
      part: { fromMs: 100_000, toMs: 400_000 },
      ...{ cutClip: null, signal: new AbortController().signal, deadline: new Date(Date.now() + 60_000) },
      cutWindow: (window) => Promise.reject(new Error(`${windows.push(window)}`)),
      onProgress: () => {},
      onConforming: async () => {},
    },
  );
  expect([windows[0]?.fromMs, windows.at(-1)?.toMs]).toEqual([100_000, 400_000]);
});

test("without time for another attempt, an answer that the second look contradicts is kept", async () => {
  let attempts = 0;
  const stored: string[] = [];
  const form = { kind: "clock", groups: 2, firstDigits: 2, decimals: 0, point: "." } as const;
  const at = {
    pointer: "/at",
    pointerForCaller: "/at",
    fromMs: 5000,
    toMs: 6000,
    otherEdge: null,
    form,
    what: "a cut",
  };
  const check = async () => ({ ok: true as const, text: '{"at":"00:05"}' });
  const deadline = new Date(Date.now() + 6_000);
  await analyse(
    {
      provider: {
        withVideo: (_video, _run, use) =>
          use(async ({ clip }) => {
            if (clip) return { text: '{"question_1":{"seen":"not_here","times":[]}}', model: "small-1" };
            attempts++;
            // The answer takes more than a third of the time.
            await expect.poll(() => deadline.getTime() - Date.now()).toBeLessThan(3_800);
            return { text: "", model: "small-1", tokens: { total: 100_000, video: 0, audio: 0 } };
          }),
      },
      sandbox: {
        check,
        checkPart: check,
        findTimes: async () => [{ ...at, edge: "start" }],
        findLists: async () => [],
      },
      log: { info() {}, warn() {} },
    },
    {
      ...{ video, schema, instructions: null, durationMs: 60_000, deadline, signal: new AbortController().signal },
      cutClip: async () => ({ bytes: Buffer.alloc(1), mimeType: "video/mp4", edges: { cutsMs: [], silences: [] } }),
      onProgress: () => {},
      onConforming: async ({ text, findings }) => void stored.push(text, findings?.get("/at")?.verdict ?? ""),
    },
  );
  expect([attempts, stored]).toEqual([1, ['{"at":"00:05"}', "contradicted"]]);
});
