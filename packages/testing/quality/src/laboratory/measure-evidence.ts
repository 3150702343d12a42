import { timestampText } from "@video-to-json/contract";
import { type Random, randomFrom } from "@video-to-json/testing/running";
import { readTime, timeError } from "../score/compare.ts";
import type { Judged, Ratio } from "../score/score.ts";
import { checkAnswers } from "./check-answers.ts";
import { type ClipErrors, clipModels, deviation, misreadDigit, type Scene } from "./erring-model.ts";

/** What evidence says about visible values, right and wrong. */
export type EvidenceFigures = {
  wrongConfirmed: Ratio;
  wrongDenied: Ratio;
  trueConfirmed: Ratio;
  trueDenied: Ratio;
  /** Of the times, texts and visible values that were checked: wrong ones among the least certain tenth, out of all wrong ones. */
  leastCertain: Ratio;
  /** The dollars of the evidence, in dollars of the first pass. */
  price: number;
};

/** Models that see, and models that answer without looking. */
export const eyes: Readonly<Record<string, ClipErrors>> = {
  perfect: {},
  real: clipModels.real ?? {},
  weak: clipModels.weak ?? {},
  "always yes": { chooses: "yes" },
  "always no": { chooses: "no" },
  "first option": { chooses: "first" },
  "last option": { chooses: "last" },
  "echo of the question": { chooses: "echo" },
};

const durationMs = 180_000;
const scenesInVideo = 5;
const values = {
  colour: ["red", "orange", "yellow", "green", "blue", "purple", "black", "white"],
  cars: [0, 1, 2, 3, 4, 5],
  open: [true, false],
  kind: ["bus", "tram", "train", "boat"],
  light: ["yes", "no"],
};
const sceneSchema = {
  name: "string",
  at: "timestamp",
  colour: "string",
  cars: 0,
  open: true,
  kind: values.kind.join("|"),
};
const schemaText = JSON.stringify({ scenes: [{ ...sceneSchema, light: "yes|no", note: "string" }] });

/**
 * Runs the product's evidence over answers about many videos: five scenes with eight leaves each.
 *
 * @param wrongShare the share of values that are wrong. A wrong time is off by three to ten seconds.
 */
export async function measureEvidence({
  errors,
  videos,
  seed = 1,
  wrongShare = 0.4,
}: {
  errors: ClipErrors;
  videos: number;
  seed?: number;
  wrongShare?: number;
}): Promise<EvidenceFigures> {
  const none = () => ({ of: 0, all: 0 });
  const visible = { wrongConfirmed: none(), wrongDenied: none(), trueConfirmed: none(), trueDenied: none(), price: 0 };
  const judged: Judged[] = [];
  const drawn = Array.from({ length: videos }, (_, video) => {
    const draw = randomFrom(seed * 10_000 + video);
    const scenes = drawScenes(draw);
    const data = { scenes: scenes.map((scene) => answerAbout(scene, draw, wrongShare)) };
    return { schemaText, durationMs, scenes, data, seed: seed * 10_000 + video };
  });
  await checkAnswers(drawn, { errors, secondLook: "off" }, ({ scenes, data }, { evidence }, price) => {
    visible.price += price.evidence / videos;
    for (const [index, scene] of scenes.entries()) {
      for (const [key, truth] of Object.entries(scene.visible ?? {})) {
        const verdict = evidence?.fields[`/scenes/${index}/${key}`]?.verdict;
        const isTrue = data.scenes[index]?.[key] === truth;
        count(isTrue ? visible.trueConfirmed : visible.wrongConfirmed, verdict === "confirmed");
        count(isTrue ? visible.trueDenied : visible.wrongDenied, verdict === "contradicted");
      }
      for (const [key, value] of Object.entries(data.scenes[index] ?? {})) {
        const confidence = evidence?.fields[`/scenes/${index}/${key}`]?.confidence ?? null;
        if (confidence !== null && key !== "name") judged.push({ confidence, isRight: isTrue(scene, key, value) });
      }
    }
  });
  return { ...visible, leastCertain: leastCertainOf(judged) };
}

function isTrue({ startMs, text, visible }: Scene, key: string, value: unknown): boolean {
  if (key === "at") return timeError(readTime(value) ?? 0, startMs) <= 2_000;
  return value === (key === "note" ? text : visible?.[key]);
}

/** Leaves of one confidence have no order: those at the border count in part. */
function leastCertainOf(judged: readonly Judged[]): Ratio {
  const wrong = (all: readonly Judged[]) => all.filter(({ isRight }) => !isRight).length;
  const size = Math.round(judged.length / 10);
  const border = judged.map(({ confidence }) => confidence).sort((a, b) => a - b)[size] ?? 0;
  const below = judged.filter(({ confidence }) => confidence < border);
  const at = judged.filter(({ confidence }) => confidence === border);
  return { of: wrong(below) + (wrong(at) * (size - below.length)) / Math.max(1, at.length), all: wrong(judged) };
}

function drawScenes(draw: Random): Scene[] {
  const slot = durationMs / scenesInVideo;
  return Array.from({ length: scenesInVideo }, (_, index) => {
    const startMs = index * slot + draw.whole(2_000, 15_000);
    const visible = Object.fromEntries(
      Object.entries(values).map(([key, all]) => [key, draw.one<string | number | boolean>(all)]),
    );
    const name = `scene ${String.fromCharCode(65 + index)}`;
    return { name, startMs, endMs: startMs + draw.whole(4_000, 15_000), text: `ROOM ${index + 100}`, visible };
  });
}

function answerAbout(
  { name, startMs, text, visible = {} }: Scene,
  draw: Random,
  wrongShare: number,
): Record<string, unknown> {
  const said = Object.entries(visible).map(([key, truth]) => {
    const others = (values[key as keyof typeof values] as unknown[]).filter((other) => other !== truth);
    return [key, draw.chance(wrongShare) ? draw.one(others) : truth];
  });
  const error = draw.chance(wrongShare) ? draw.one([-1, 1]) * draw.whole(3_000, 10_000) : 300 * deviation(draw);
  const note = draw.chance(wrongShare) ? misreadDigit(text, draw) : text;
  const at = timestampText(Math.min(durationMs, Math.max(0, startMs + error)));
  return { name, at, ...Object.fromEntries(said), note };
}

function count(ratio: Ratio, holds: boolean): void {
  ratio.all += 1;
  if (holds) ratio.of += 1;
}
