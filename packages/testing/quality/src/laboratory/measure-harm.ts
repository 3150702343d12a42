import { type CheckedAnswer, checksThread, prepareChecks } from "@video-to-json/analysis";
import { defaultLimits } from "@video-to-json/contract";
import { openSchemaSandbox } from "@video-to-json/schema";
import { type Random, randomFrom } from "@video-to-json/testing/running";
import { timeError } from "../score/compare.ts";
import type { Ratio } from "../score/score.ts";
import {
  type ClipErrors,
  deviation,
  misreadDigit,
  openErringModel,
  type Scene,
  sceneName,
  windowIn,
} from "./erring-model.ts";

/** What the second look and the evidence do to answers, good and bad. */
export type Harm = {
  /** Times of the first answer, and of the checked one, that are right within a second. */
  before: Ratio;
  after: Ratio;
  /** True times that are no longer true, out of all true ones. */
  harmed: Ratio;
  /** Moved times that are right now, out of all moved ones. */
  movedRight: Ratio;
  /** Wrong values that evidence confirms, out of all wrong ones; and true values that it contradicts, out of all true ones. */
  wrongConfirmed: Ratio;
  trueDenied: Ratio;
  /** The dollars of the second look, in dollars of the first pass. */
  price: number;
};

/** How the first answer errs: not at all, with a small deviation, or as a typical model does: half of its times are off. */
export const firstPasses = {
  exact: () => 0,
  good: (draw: Random) => 700 * deviation(draw),
  typical: (draw: Random) =>
    draw.chance(0.5) ? 600 * deviation(draw) : draw.one([-1, 1]) * (1500 + draw.whole(0, 8000)),
} satisfies Record<string, (draw: Random) => number>;

/** The models of the goals, and those that no check can repair. */
export const clipModels: Readonly<Record<string, ClipErrors>> = {
  perfect: {},
  "σ 1 s": { sigmaMs: 1000 },
  "bias 2 s": { biasMs: 2000 },
  "10 % inventions": { invent: 0.1 },
  "30 % inventions": { invent: 0.3 },
  "wrong clock": { wrongClock: 1 },
  "30 % missed": { miss: 0.3 },
  wide: { wide: 1 },
  echo: { echo: 1 },
  "drifting clock": { clockRate: 1.1 },
  "halved clock": { clockRate: 0.5 },
  real: { sigmaMs: 600, miss: 0.08, invent: 0.05, wrongClock: 0.05, echo: 0.3, misread: 0.05, paraphrase: 0.1 },
  weak: { sigmaMs: 1200, miss: 0.12, invent: 0.12, wrongClock: 0.1, echo: 0.6, misread: 0.1, wholeVideo: 0.2 },
};

const durationMs = 300_000;
const scenesInVideo = 6;
const misreadShare = 0.3;
const words = ["SCORE", "TOTAL", "PLATFORM", "ROOM", "EXIT", "CAR"];
const schemaText = '{"scenes":[{"name":"string","start":"timestamp","end":"timestamp","text":"string"}]}';
const perToken = 0.3 / 1_000_000;
const rates = { picture: 70 * perToken, soundSecond: 32 * perToken, input: perToken, output: 2.5 / 1_000_000 };
const firstPass = (durationMs / 1000) * (rates.picture + rates.soundSecond) + 1500 * rates.input + 400 * rates.output;

/** Runs the product's own checks over answers about many videos, with a model that errs. */
export async function measureHarm({
  first,
  errors,
  videos,
  seed = 1,
  secondLook = "times",
}: {
  first: keyof typeof firstPasses;
  errors: ClipErrors;
  videos: number;
  seed?: number;
  secondLook?: "auto" | "times";
}): Promise<Harm> {
  const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1, thread: checksThread });
  try {
    const work = sandbox.forAccount("laboratory");
    const schema = await work.compile(schemaText);
    const harm = emptyHarm();
    for (let video = 0; video < videos; video++) {
      const draw = randomFrom(seed * 10_000 + video);
      const scenes = drawScenes(draw);
      const data = { scenes: scenes.map((scene, index) => answerAbout(scene, index, { draw, first })) };
      const model = openErringModel(scenes, durationMs, errors, seed * 10_000 + video);
      let spent = 0;
      const checks = prepareChecks(
        {
          sandbox: work,
          cutClip: async () => ({
            bytes: new Uint8Array(1),
            mimeType: "video/mp4",
            edges: { cutsMs: [], silences: [] },
          }),
          hearsSound: true,
          readScreen: async ({ atMs }) => model.screenAt(atMs),
          log: {
            info: (facts) => {
              spent += Number((facts as { dollars?: number }).dollars ?? 0);
            },
            warn() {},
          },
        },
        {
          ...{ jobId: "laboratory", schema, instructions: null, durationMs, part: null, hasSound: false },
          ...{ signal: new AbortController().signal, deadline: new Date(Date.now() + 3_600_000) },
          ...{ secondLook, completesLists: false, evidence: { ms: 60_000, maxBytes: 400_000 } },
        },
      )?.(async ({ prompt, responseSchema, clip }) => {
        const window = windowIn(prompt);
        const seconds = window ? (window.toMs - window.fromMs) / 1000 : durationMs / 1000;
        const framesPerSecond = clip?.framesPerSecond ?? 1;
        const pictures = seconds * framesPerSecond;
        const text =
          window && responseSchema
            ? model.answerClip(responseSchema as Record<string, unknown>, { ...window, framesPerSecond })
            : model.answerPlaces(prompt);
        const dollars =
          pictures * rates.picture +
          seconds * rates.soundSecond +
          (prompt.length / 4) * rates.input +
          (text.length / 4) * rates.output;
        return { text, model: "m", tokens: { total: 1, audio: 0, dollars, rates } };
      });
      if (!checks) throw new Error("there are no checks");
      const text = JSON.stringify(data);
      const tokens = { total: 1, audio: 0, dollars: firstPass, rates };
      const { answer } = await checks.review({
        text,
        written: text,
        model: "m",
        tokens,
        attemptMs: 1000,
        isLast: true,
      });
      harm.price += spent / firstPass / videos;
      addHarm(harm, { scenes, data, checked: await checks.prove(answer) });
    }
    return harm;
  } finally {
    await sandbox.close();
  }
}

type Item = { name: string; start: string; end: string; text: string };

function drawScenes(draw: Random): Scene[] {
  const slot = durationMs / scenesInVideo;
  return Array.from({ length: scenesInVideo }, (_, index) => {
    const startMs = index * slot + draw.whole(6000, 20_000);
    return { startMs, endMs: startMs + draw.whole(4000, 15_000), text: `${words[index]} ${draw.whole(100, 999)}` };
  });
}

function answerAbout(
  { startMs, endMs, text }: Scene,
  index: number,
  { draw, first }: { draw: Random; first: keyof typeof firstPasses },
): Item {
  const start = startMs + firstPasses[first](draw);
  const end = Math.max(start + 1000, endMs + firstPasses[first](draw));
  const write = (ms: number) => {
    const seconds = Math.floor(Math.min(durationMs, Math.max(0, ms)) / 1000);
    return `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
  };
  const read = draw.chance(misreadShare) ? misreadDigit(text, draw) : text;
  return { name: sceneName(index), start: write(start), end: write(end), text: read };
}

function emptyHarm(): Harm {
  const none = () => ({ of: 0, all: 0 });
  return {
    ...{ before: none(), after: none(), harmed: none(), movedRight: none() },
    ...{ wrongConfirmed: none(), trueDenied: none(), price: 0 },
  };
}

type Checked = { scenes: readonly Scene[]; data: { scenes: Item[] }; checked: CheckedAnswer };

function addHarm(harm: Harm, { scenes, data, checked }: Checked): void {
  const after = (JSON.parse(checked.text) as { scenes: Item[] }).scenes;
  const fields = checked.evidence?.fields ?? {};
  for (const [index, scene] of scenes.entries()) {
    const [was, is] = [data.scenes[index], after[index]];
    if (!was || !is) continue;
    for (const [edge, trueMs] of [
      ["start", scene.startMs],
      ["end", scene.endMs],
    ] as const) {
      const [wasTrue, isTrue] = [was, is].map((item) => timeError(msOf(item[edge]), trueMs) <= 1000);
      count(harm.before, wasTrue);
      count(harm.after, isTrue);
      if (wasTrue) count(harm.harmed, !isTrue);
      if (was[edge] !== is[edge]) count(harm.movedRight, isTrue);
    }
    const verdict = fields[`/scenes/${index}/text`]?.verdict;
    if (was.text === scene.text) count(harm.trueDenied, verdict === "contradicted");
    else count(harm.wrongConfirmed, verdict === "confirmed");
  }
}

function msOf(text: string): number {
  const [minutes, seconds] = text.split(":").map(Number);
  return ((minutes ?? 0) * 60 + (seconds ?? 0)) * 1000;
}

function count(ratio: Ratio, holds = false): void {
  ratio.all += 1;
  if (holds) ratio.of += 1;
}
