import type { IncomingMessage } from "node:http";
import { serveLocally } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { openTranscription, spokenLines, spokenWithin } from "./transcription.ts";

type Reply = { status?: number; body: unknown };

/** A strict recogniser that gives these replies in order, the last one again and again. */
async function open(replies: Reply[], options: { apiKey?: string } = {}) {
  const forms: FormData[] = [];
  const server = await serveLocally(async (request, response) => {
    const { status = 200, body } = replies[Math.min(forms.length, replies.length - 1)] ?? { body: {} };
    forms.push(await formOf(request));
    expect([request.method, request.url]).toEqual(["POST", "/v1/audio/transcriptions"]);
    expect(request.headers.authorization).toBe(options.apiKey && `Bearer ${options.apiKey}`);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const warnings: object[] = [];
  const outcomes: string[] = [];
  const transcription = openTranscription({
    ...{ url: `${server.url}/v1/`, apiKey: options.apiKey, model: "ears" },
    log: { warn: (facts) => void warnings.push(facts) },
    onEnd: (outcome) => void outcomes.push(outcome),
  });
  onTestFinished(() => transcription.close());
  const spans: object[] = [];
  const hear = (durationMs = 10_000, signal = new AbortController().signal) =>
    transcription.transcribe(
      "job",
      durationMs,
      async (span) => {
        spans.push(span);
        return Buffer.from(`sound from ${span.fromMs}`);
      },
      signal,
    );
  return { hear, forms, spans, warnings, outcomes };
}

function formOf(request: IncomingMessage): Promise<FormData> {
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  return new Response(request as unknown as ReadableStream, { headers }).formData();
}

const word = (word: string, start: number, end: number) => ({ word, start, end });

test("sound goes as a file with the model and the wish for times of words, and the words come back in milliseconds", async () => {
  const body = { text: "hello world", words: [word(" hello", 0.5, 0.9), word("world", 1, 1.25)] };
  const { hear, forms, outcomes } = await open([{ body }], { apiKey: "secret" });
  expect(await hear()).toEqual([
    { text: "hello", startMs: 500, endMs: 900 },
    { text: "world", startMs: 1000, endMs: 1250 },
  ]);
  const [form] = forms;
  expect(["model", "response_format", "timestamp_granularities[]"].map((name) => form?.get(name))).toEqual([
    ...["ears", "verbose_json", "word"],
  ]);
  const file = form?.get("file") as File;
  expect([file.type, await file.text()]).toEqual(["audio/mp4", "sound from 0"]);
  expect(outcomes).toEqual(["heard"]);
});

test("long sound goes in pieces of five minutes, whose words have the times of the whole", async () => {
  const { hear, spans } = await open([{ body: { words: [word("a", 1, 2)] } }]);
  expect((await hear(400_000))?.map(({ startMs }) => startMs)).toEqual([1000, 301_000]);
  expect(spans).toEqual([
    { fromMs: 0, toMs: 300_000 },
    { fromMs: 300_000, toMs: 400_000 },
  ]);
});

test("a recogniser that gives times of segments only is understood, and silence does not fail", async () => {
  const segments = [{ text: " Good morning. ", start: 2, end: 3.5 }];
  expect(await (await open([{ body: { segments } }])).hear()).toEqual([
    { text: "Good morning.", startMs: 2000, endMs: 3500 },
  ]);
  for (const body of [{ text: "" }, { text: "", words: [], segments: [] }])
    expect(await (await open([{ body }])).hear()).toEqual([]);
});

test("an overload and a broken reply are tried again", async () => {
  const { hear, forms } = await open([
    { status: 503, body: "busy" },
    { body: '{"words": [' },
    { body: { words: [word("now", 0, 1)] } },
  ]);
  expect(await hear()).toHaveLength(1);
  expect(forms).toHaveLength(3);
});

test.each([
  ["refuses the key", { status: 401, body: "no" }],
  ["answers without times", { body: { text: "words without times" } }],
  ["answers no object", { body: "[]" }],
])("a recogniser that %s fails no job: there are no words, and the log says why", async (_what, reply) => {
  const { hear, warnings, outcomes } = await open([reply]);
  expect(await hear()).toBeNull();
  expect([warnings.length, outcomes]).toEqual([1, ["failed"]]);
});

test("words with times outside the sound are left out; the others lose control characters and end after 200 letters", async () => {
  const words = [
    word("be\u0000fore", 0, 10.4),
    word("never", -5, 1),
    word("late", 9, 600),
    { word: "text", start: "1", end: "2" },
    word("x".repeat(1000), 1, 2),
    word("back", 3, 2),
    { word: "no time" },
    "text",
    word("", 1, 2),
  ];
  const heard = await (await open([{ body: { words } }])).hear();
  expect(heard).toEqual([
    { text: "be fore", startMs: 0, endMs: 10_000 },
    { text: "x".repeat(200), startMs: 1000, endMs: 2000 },
  ]);
});

test("an abort ends the transcription with its reason", async () => {
  const controller = new AbortController();
  const { hear } = await open([{ body: {} }]);
  controller.abort(new Error("the job is over"));
  await expect(hear(1000, controller.signal)).rejects.toThrow("the job is over");
});

test("an address with http is private", () => {
  const options = { apiKey: undefined, model: "ears", log: { warn() {} } };
  expect(() => openTranscription({ ...options, url: "http://8.8.8.8/v1" })).toThrow("TRANSCRIPTION_URL has http");
});

test("words become lines with the time of their first word; a pause and a long line begin another", () => {
  const words = [
    { text: "One", startMs: 0, endMs: 300 },
    { text: "two.", startMs: 400, endMs: 800 },
    { text: "Three", startMs: 2000, endMs: 2500 },
  ];
  expect(spokenLines(words, String)).toEqual(["0 One two.", "2000 Three"]);
  expect(spokenWithin(words, { fromMs: 500, toMs: 2001 })).toBe("two. Three");
  expect(spokenLines(Array(40).fill(words[0]), String).length).toBeGreaterThan(1);
});
