import { expect, test } from "vitest";
import type { Question, TokenCount } from "../analysis-provider.ts";
import { openBudget } from "./budget.ts";
import { hearClip } from "./check-quotes.ts";

const clip = { bytes: new Uint8Array([1]), mimeType: "video/mp4", durationMs: 5_000, framesPerSecond: 1 };
const run = { signal: new AbortController().signal, deadline: new Date(Date.now() + 1_000) };

async function hear(text: string, tokens?: TokenCount, budget = openBudget(undefined, 60_000)) {
  const asked: Question[] = [];
  const ask = async (question: Question) => {
    asked.push(question);
    return { text, model: "m", ...(tokens && { tokens }) };
  };
  return { said: await hearClip({ ask, budget }, clip, run), asked };
}

test("the question is about the clip, and names no words that may be heard", async () => {
  const { said, asked } = await hear('{"said":"and it is Okafor"}');
  expect([said, asked[0]?.clip]).toEqual(["and it is Okafor", clip]);
});

test("without a count of sound nobody listened, even if the model hears no word", async () => {
  const counted = { total: 500, dollars: 0, rates: null };
  expect((await hear('{"said":""}', { ...counted, audio: 0 })).said).toBeNull();
  expect((await hear('{"said":""}', { ...counted, audio: null })).said).toBe("");
});

test("no clip is heard that the budget does not pay", async () => {
  const empty = openBudget(undefined, 60_000, { factor: 0 });
  await expect(hear('{"said":""}', undefined, empty)).rejects.toThrow("budget");
});

test.each(["{}", '{"said":3}', "no JSON"])("the answer %s is not taken for silence", async (text) => {
  await expect(hear(text)).rejects.toThrow();
});
