import { expect, test } from "vitest";
import type { Question, TokenCount } from "../analysis-provider.ts";
import { openBudget } from "./budget.ts";
import { checkQuotes, hearClip, type QuoteChecks } from "./check-quotes.ts";
import { compareWords } from "./compare-words.ts";
import type { ClaimedSpan } from "./evidence-question.ts";

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

const text = (quote: string, fromSeconds: number, toSeconds = fromSeconds + 2): ClaimedSpan => ({
  start_ms: fromSeconds * 1_000,
  end_ms: toSeconds * 1_000,
  modality: "text",
  quote,
});
/** Captions of three seconds, one after another. Every fourth one is in Greek. */
const captions = Array.from({ length: 40 }, (_, index) => `${index % 4 === 3 ? "Σκηνή" : "Scene"} ${index + 101}`);
const captionAt = (ms: number) => captions[Math.floor(ms / 3_000)] ?? "";
const spansOf = (count: number) => captions.slice(0, count).map((quote, index) => text(quote, index * 3));

/** Searches quotes in a video of two minutes with those captions. Returns the frames of each reading, by script. */
async function check(spans: readonly ClaimedSpan[], textAt: (ms: number) => string | null = captionAt) {
  const calls: [string | undefined, readonly number[]][] = [];
  const checks: QuoteChecks = {
    async readScreens({ times, script }) {
      calls.push([script, times]);
      return times.map(textAt);
    },
    hear: async () => null,
    compare: async (words) => compareWords(words),
  };
  const { found, isComplete } = await checkQuotes(checks, spans, { ...run, durationMs: 120_000 });
  return { calls, isComplete, found: spans.map((span) => found.get(span)?.found) };
}

test("the frames of several quotes in one script are read together, eight at most", async () => {
  const { calls, found } = await check(spansOf(12));
  expect(calls.map(([script, times]) => [script, times.length])).toEqual([
    ["Latin", 8],
    ["Greek", 3],
    ["Latin", 1],
  ]);
  expect(found).toEqual(captions.slice(0, 12).map(() => true));
});

test("the frames near the start and the end of a span are read together, and those that are known are not read again", async () => {
  const { calls } = await check([text("Nowhere", 0, 8), text("Nothing", 0, 15)], () => "");
  expect(calls.map(([, times]) => times)).toEqual([[4_000], [4_000], [500, 7_500], [7_500], [14_500]]);
});

test("no frame is read ahead that no quote on the screen needs, or that an earlier frame serves", async () => {
  const spoken: ClaimedSpan = { ...text("Scene 130", 87), modality: "speech" };
  const { calls } = await check([...spansOf(11), spoken, text("Scene 101", 1), text("Scene 101", 0, 3)]);
  expect(calls.map(([, times]) => times.length)).toEqual([8, 2, 1]);
  const backwards = await check([text("Scene 103", 6), text("Scene 101", 0)]);
  expect(backwards.calls.map(([, times]) => times)).toEqual([[7_000, 1_000]]);
});

test("frames that are read ahead are a part of the 32 frames of a job", async () => {
  const { calls, found, isComplete } = await check([text("Nowhere", 0, 1), ...spansOf(40)]);
  expect(calls.flatMap(([, times]) => times)).toHaveLength(32);
  expect([isComplete, found[1], found.at(-1)]).toEqual([false, true, undefined]);
});

test("a frame that cannot be read leaves its own quotes unchecked, and is not read again", async () => {
  const unreadable = (ms: number) => (captionAt(ms) === "Scene 105" ? null : captionAt(ms));
  const { calls, found, isComplete } = await check([...spansOf(12), text("Scene 105", 12)], unreadable);
  expect(found.flatMap((is, index) => (is ? [] : [index]))).toEqual([4, 12]);
  expect([isComplete, calls.flatMap(([, times]) => times).length]).toEqual([false, 12]);
});

test("a frame that cannot be read harms nothing if another one shows its quote", async () => {
  const spans = [text("Title", 0), text("Total 31", 2, 10), text("Tax 7", 7, 9)];
  const { calls, found } = await check(spans, (ms) => (ms === 6_000 ? null : ms < 3_000 ? "Title" : "Total 31\nTax 7"));
  expect(calls.map(([, times]) => times)).toEqual([[1_000, 6_000, 8_000]]);
  expect(found).toEqual([true, true, true]);
});

test("quotes at the very end of a video share its last frame", async () => {
  const spans = [text("Title", 0), text("The end", 120, 120), text("Scene 140", 120, 120)];
  const { calls } = await check(spans, (ms) => (ms < 3_000 ? "Title" : "The end\nScene 140"));
  expect(calls.map(([, times]) => times)).toEqual([[1_000, 119_900]]);
});
