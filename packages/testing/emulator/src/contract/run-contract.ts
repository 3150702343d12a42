import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGeminiProvider, type Question } from "@video-to-json/analysis";
import { makeVideo } from "@video-to-json/testing";
import { guesses, type Recorded } from "../generate/guesses.ts";
import { type Records, startRecorder } from "./recorder.ts";

const small = "gemini-3.5-flash-lite";
const large = "gemini-3.8-flash";
const schema = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] };
const ask: Question = {
  model: "small",
  system: "You watch a video and answer with JSON.",
  prompt: `Which colour does the video show? Answer with:\n\`\`\`json\n${JSON.stringify(schema)}\n\`\`\``,
  responseSchema: schema,
};
const jobId = "5d1f2a60-2f3c-4c57-9d0e-2f9a2b0c7e11";
const maxCaseMs = 120_000;

type Options = { url: string; apiKey: string; budgetDollars: number; tell(line: string): void };

/** Sends every kind of request of the service once, then each doubt. Returns what came back, and what it cost. */
export async function runContract({
  url,
  apiKey,
  budgetDollars,
  tell,
}: Options): Promise<Records & { isWhole: boolean }> {
  await using recorder = await startRecorder(url, budgetDollars);
  const directory = await mkdtemp(join(tmpdir(), "provider-contract-"));
  const path = join(directory, "video.mp4");
  const log = { info() {}, warn() {}, error() {} };
  const models = { small: [small], large: [large] };
  const providers = [0, 1_000_000].map((maxInlineBytes) =>
    createGeminiProvider({ apiKey, baseUrl: recorder.url, models, log, maxInlineBytes }),
  );
  const [byFile, inline] = providers as [(typeof providers)[0], (typeof providers)[0]];
  try {
    await makeVideo({ scenes: [{ seconds: 2, color: "red", sound: "tone" }] }, path);
    const bytes = await readFile(path);
    const clip = { bytes, mimeType: "video/mp4", durationMs: 2000, framesPerSecond: 2 };
    const video = { path, mimeType: "video/mp4", durationMs: 2000, hasSound: true, jobId };
    const kinds: [name: string, provider: typeof byFile, question: Question, detail?: "low" | "high"][] = [
      ["first", inline, ask],
      ["file", byFile, ask],
      [
        "repair",
        inline,
        { ...ask, prompt: `${ask.prompt}\n\nThe answer before broke the schema: /colour is missing.` },
      ],
      ["prompt-only", inline, { ...ask, responseSchema: null }],
      ["low", inline, ask, "low"],
      ["high", inline, ask, "high"],
      ["clip", inline, { ...ask, check: "second_look", clip }],
      ["heard", inline, { ...ask, check: "evidence", clip: { ...clip, framesPerSecond: 0.1, isHeard: true } }],
      ["escalation", inline, { ...ask, model: "large" }],
    ];
    for (const [name, provider, question, detail = "standard"] of kinds) {
      recorder.begin(name);
      const run = { signal: AbortSignal.timeout(maxCaseMs), deadline: new Date(Date.now() + maxCaseMs) };
      await provider
        .withVideo({ ...video, detail }, run, (askOne) => askOne(question))
        .catch((error: unknown) => tell(`${name}: ${error}`));
    }
    recorder.begin("listing");
    await byFile
      .deleteCopies(async () => new Set(), AbortSignal.timeout(maxCaseMs))
      .catch((error: unknown) => tell(`listing: ${error}`));
    for (const [name, { sample }] of Object.entries(guesses)) {
      recorder.begin(name);
      const data = { inlineData: { mimeType: "video/mp4", data: bytes.toString("base64") }, ...sample.part };
      const generationConfig = { responseMimeType: "application/json", ...sample.config };
      const contents = [{ role: "user", parts: [data, { text: ask.prompt }] }];
      await fetch(`${recorder.url}/v1beta/models/${small}:generateContent`, {
        method: "POST",
        headers: { "x-goog-api-key": apiKey, "content-type": "application/json" },
        body: JSON.stringify({ store: false, contents, generationConfig }),
      });
    }
    return { ...recorder.records, isWhole: !recorder.isStopped() };
  } finally {
    for (const provider of providers) await provider.close();
    await rm(directory, { recursive: true });
  }
}

/** Returns the recorded replies as the emulator reads them: doubts have their own names. */
export function toRecord(replies: Records["replies"], apiKey: string): Record<string, Recorded> {
  const named = Object.entries(replies).map(([name, reply]) => [name.replace(/ generate$/, ""), reply]);
  return JSON.parse(JSON.stringify(Object.fromEntries(named)).replaceAll(apiKey, "[key]"));
}

/** Returns the cases in which Google answered otherwise, one line each. */
export function differences(
  recorded: Readonly<Record<string, Recorded>>,
  now: Readonly<Record<string, Recorded>>,
): string[] {
  return Object.entries(recorded).flatMap(([name, { status, code }]) => {
    const other = now[name];
    if (other?.status === status && other.code === code) return [];
    return [`${name}: recorded ${status} ${code ?? ""}, now ${other?.status ?? "nothing"} ${other?.code ?? ""}`];
  });
}
