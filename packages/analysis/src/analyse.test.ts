import { Problem } from "@video-to-json/contract";
import type { CompiledSchema } from "@video-to-json/schema-input";
import { expect, test } from "vitest";
import { analyse } from "./analyse.ts";
import { type AnalysisProvider, type Question, UnmetAnswer } from "./analysis-provider.ts";
import { systemPrompt } from "./prompt/system-prompt.ts";

const video = { path: "/nowhere/video.mp4", mimeType: "video/mp4", jobId: "0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a11" };
const text = '{"type":"object"}';
const schema: CompiledSchema = {
  kind: "json-schema",
  schemaText: text,
  fullText: text,
  promptText: text,
  lean: { type: "object" },
};

/** What stands at the far side: the answers a model gives in turn, and what the check says of each. */
function farSide(replies: (string | Error)[], verdicts: Record<string, string[]>, wanted = schema) {
  const questions: Question[] = [];
  const progress: unknown[] = [];
  const events: string[] = [];
  const kept: unknown[] = [];
  const service: AnalysisProvider = {
    withVideo: (_video, _run, use) =>
      use(async (question) => {
        questions.push(question);
        const reply = replies.shift() ?? new Error("asked too often");
        if (typeof reply !== "string") throw reply;
        return { text: reply, model: `${question.model}-1` };
      }).finally(() => events.push("copy deleted")),
  };
  const sandbox = {
    async check(_schema: unknown, text: string) {
      const violations = verdicts[text];
      return violations ? { ok: false as const, violations } : { ok: true as const, text: `checked ${text}` };
    },
  };
  const extraction = analyse(
    { service, sandbox },
    {
      video,
      schema: wanted,
      instructions: null,
      durationMs: 12_480,
      signal: new AbortController().signal,
      deadline: new Date(Date.now() + 1000),
      onProgress: (event) => progress.push(event),
      keep: async (answer) => {
        kept.push(answer);
        events.push("answer kept");
      },
    },
  ).then(() => kept[0]);
  return { extraction, questions, progress, events };
}

test("a first answer that conforms is given as the check returned it, after one question to the smaller model", async () => {
  const { extraction, questions, progress } = farSide(["a"], {});
  expect(await extraction).toEqual({ text: "checked a", model: "small-1", attempts: 1 });
  expect(questions.map(({ model }) => model)).toEqual(["small"]);
  expect(questions[0]?.responseSchema).toBe(schema.lean);
  expect(progress).toEqual([{ stage: "uploading" }, { stage: "analysing", attempt: 1 }]);
});

test("an answer is kept before the copy is deleted, however long that takes; without one it is deleted all the same", async () => {
  const conforming = farSide(["bad", "good"], { bad: ["/a: one"] });
  await conforming.extraction;
  expect(conforming.events).toEqual(["answer kept", "copy deleted"]);
  const failing = farSide(["1", "1", "1"], { "1": ["/a: one"] });
  await expect(failing.extraction).rejects.toMatchObject({ code: "extraction_failed" });
  expect(failing.events).toEqual(["copy deleted"]);
});

test("an answer that repeats what the model was told is never given, and is not shown to it again", async () => {
  const reply = JSON.stringify({ note: systemPrompt });
  const { extraction, questions } = farSide([reply, reply, "good"], { [reply]: [`/${systemPrompt}: is not allowed`] });
  expect(await extraction).toMatchObject({ text: "checked good" });
  const conforming = farSide([reply, reply, reply], {});
  const thrown = await conforming.extraction.catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: "extraction_failed", details: [expect.stringMatching(/repeats the rules/)] });
  expect(conforming.questions.map(({ prompt }) => prompt.includes("Absence is right"))).toEqual([false, false, false]);
  const quoting = farSide([reply, reply, reply], { [reply]: [`/${systemPrompt}: is not allowed`, "/a: is missing"] });
  await expect(quoting.extraction).rejects.toMatchObject({ details: ["/a: is missing"] });
  expect(questions).toHaveLength(3);
});

test("what the caller sent is searched once, however much must be told from it", async () => {
  let reads = 0;
  const counted = {
    ...schema,
    get promptText() {
      reads++;
      return text;
    },
  };
  const violations = Array.from({ length: 20 }, (_, at) => `/${at}: is missing`);
  const { extraction, questions } = farSide(
    ["1", "2", "3"],
    { "1": violations, "2": violations, "3": violations },
    counted,
  );
  await expect(extraction).rejects.toMatchObject({ details: violations });
  expect(reads).toBe(1 + questions.length);
});

test("an answer that does not conform is asked for again with what was wrong with it, from the same model", async () => {
  const { extraction, questions } = farSide(["bad", "good"], { bad: ["/cuts/0/at: must be MM:SS"] });
  expect(await extraction).toMatchObject({ text: "checked good", model: "small-1", attempts: 2 });
  expect(questions[0]?.prompt).not.toContain("An earlier attempt");
  expect(questions[1]?.prompt).toContain("/cuts/0/at: must be MM:SS");
  expect(questions[1]?.prompt).toMatch(/<answer-[0-9a-f]{32}>\nbad\n/);
});

test("a second failure goes once to the larger model, with the latest faults", async () => {
  const { extraction, questions, progress } = farSide(["bad", "worse", "good"], {
    bad: ["/a: one"],
    worse: ["/b: two"],
  });
  expect(await extraction).toMatchObject({ model: "large-1", attempts: 3 });
  expect(questions.map(({ model }) => model)).toEqual(["small", "small", "large"]);
  expect(questions[2]?.prompt).toContain("/b: two");
  expect(questions[2]?.prompt).not.toContain("/a: one");
  expect(progress.at(-1)).toEqual({ stage: "analysing", attempt: 3 });
});

test("no fourth answer is asked for: the caller gets the last violations and no data", async () => {
  const { extraction, questions } = farSide(["1", "2", "3"], {
    "1": ["/a: one"],
    "2": ["/b: two"],
    "3": ["/c: three"],
  });
  const problem = await extraction.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ code: "extraction_failed", details: ["/c: three"] });
  expect(questions).toHaveLength(3);
});

test("a question without an answer is a failed attempt; what earlier answers got wrong is told with it", async () => {
  const { extraction, questions } = farSide(
    ["bad", new UnmetAnswer("the answer was empty"), new UnmetAnswer("cut off")],
    {
      bad: ["/a: one"],
    },
  );
  await expect(extraction).rejects.toMatchObject({ details: [": cut off", ": the answer was empty", "/a: one"] });
  expect(questions[2]?.prompt).toContain("- : the answer was empty\n- /a: one");
});

test("a failure that asking again cannot change ends the ladder", async () => {
  const problem = new Problem("provider_unavailable", "Later.", { retryAfterSeconds: 7 });
  const { extraction, questions } = farSide([problem, "good"], {});
  await expect(extraction).rejects.toBe(problem);
  expect(questions).toHaveLength(1);
});

test("a run that is aborted while an answer is checked ends for the run's reason", async () => {
  const stop = new AbortController();
  const service: AnalysisProvider = {
    withVideo: (_video, _run, use) => use(async () => ({ text: "a", model: "small-1" })),
  };
  const check = async () => {
    stop.abort(new Error("the job's time is over"));
    throw new Error("the check was cut short");
  };
  const request = { video, schema, instructions: null, durationMs: 1000, deadline: new Date(), onProgress: () => {} };
  const keep = async () => expect.unreachable();
  const extraction = analyse({ service, sandbox: { check } }, { ...request, keep, signal: stop.signal });
  await expect(extraction).rejects.toThrow("the job's time is over");
});
