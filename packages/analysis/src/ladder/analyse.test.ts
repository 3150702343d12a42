import { Problem } from "@video-to-json/contract";
import type { CompiledSchema } from "@video-to-json/schema";
import { expect, test } from "vitest";
import { type AnalysisProvider, NoAnswer, OutOfQuota, type Question } from "../analysis-provider.ts";
import { analyse, type FreshAnswer, type OpenChecks } from "./analyse.ts";

const video = {
  path: "/nowhere/video.mp4",
  mimeType: "video/mp4",
  durationMs: 60_000,
  hasSound: true,
  jobId: "0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a11",
};
const text = '{"type":"object"}';
const schema: CompiledSchema = {
  kind: "json-schema",
  schemaText: text,
  fullText: text,
  promptText: text,
  lean: { type: "object" },
};

/** Runs the retry ladder against a model that gives `replies` in turn, and a sandbox that finds these violations. */
function runLadder(replies: (string | Error)[], violationsOf: Record<string, string[]>, openChecks?: OpenChecks) {
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
  const sandbox = { check, checkPart: check };
  const extraction = analyse(
    { provider, sandbox },
    {
      video,
      openChecks,
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

test("a large model without quota does not hide what two answers break", async () => {
  const outOfQuota = new OutOfQuota(new Error("limit: 0"), 60);
  const broken = runLadder(["bad", "worse", outOfQuota], { bad: ["/a: one"], worse: ["/b: two"] });
  await expect(broken.extraction).rejects.toMatchObject({
    code: "extraction_failed",
    details: ["for the caller: /b: two"],
  });
  const first = runLadder([outOfQuota], {});
  await expect(first.extraction).rejects.toBe(outOfQuota);
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
    onProgress: () => {},
  };
  const onConforming = async () => expect.unreachable();
  const sandbox = { check, checkPart: check };
  const extraction = analyse({ provider, sandbox }, { ...request, onConforming, signal: stop.signal });
  await expect(extraction).rejects.toThrow("the deadline passed");
});

/** Checks that accept these answers only, and keep the first one that conforms. */
function acceptOnly(...accepted: string[]) {
  const reviewed: FreshAnswer[] = [];
  const openChecks: OpenChecks = () => ({
    async review(fresh) {
      reviewed.push(fresh);
      const fault = ["/at: look again"];
      const failed = { violations: fault, violationsForCaller: fault, answer: `corrected ${fresh.written}` };
      if (accepted.includes(fresh.written)) return { answer: { text: "better", model: "m" }, failed: null };
      return { answer: { text: reviewed[0]?.text ?? "", model: "m" }, failed };
    },
    prove: async (answer) => ({ ...answer, text: `${answer.text}, proved` }),
  });
  return { openChecks, reviewed };
}

test("after an answer that the checks do not accept, the model gets what they found, and answers again", async () => {
  const { openChecks, reviewed } = acceptOnly("right");
  const { extraction, questions } = runLadder(["bad", "wrong", "right"], { bad: ["/a: one"] }, openChecks);
  expect(await extraction).toEqual({ text: "better, proved", model: "m" });
  expect(questions[2]?.prompt).toMatch(/\/at: look again[\s\S]*corrected wrong/);
  expect(reviewed.map(({ text, isLast }) => [text, isLast])).toEqual([
    ["checked wrong", false],
    ["checked right", true],
  ]);
});

test.each([
  ["violates the schema", "bad"],
  ["is missing", new NoAnswer("cut off")],
  ["fails", new Error("the provider is gone")],
])("when the attempt after an answer that conforms %s, the job keeps that answer", async (_name, next) => {
  const { extraction, questions } = runLadder(["wrong", next], { bad: ["/a: one"] }, acceptOnly().openChecks);
  expect(await extraction).toEqual({ text: "checked wrong, proved", model: "m" });
  expect(questions).toHaveLength(2);
});
