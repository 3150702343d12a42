import { timestampText } from "@video-to-json/contract";
import { type Random, randomFrom } from "@video-to-json/testing/running";
import type { Ratio } from "../score/score.ts";
import { checkAnswers } from "./check-answers.ts";
import { type ClipErrors, clipModels, type Scene } from "./erring-model.ts";

/** What evidence says about visible values, right and wrong. */
export type Visible = {
  wrongConfirmed: Ratio;
  wrongDenied: Ratio;
  trueConfirmed: Ratio;
  trueDenied: Ratio;
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
const wrongShare = 0.4;
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

/** Runs the product's evidence over answers about visible things in many videos: five scenes with eight leaves each. */
export async function measureVisible({
  errors,
  videos,
  seed = 1,
}: {
  errors: ClipErrors;
  videos: number;
  seed?: number;
}): Promise<Visible> {
  const none = () => ({ of: 0, all: 0 });
  const visible = { wrongConfirmed: none(), wrongDenied: none(), trueConfirmed: none(), trueDenied: none(), price: 0 };
  const drawn = Array.from({ length: videos }, (_, video) => {
    const draw = randomFrom(seed * 10_000 + video);
    const scenes = drawScenes(draw);
    const data = { scenes: scenes.map((scene) => answerAbout(scene, draw)) };
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
    }
  });
  return visible;
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

function answerAbout({ name, startMs, text, visible = {} }: Scene, draw: Random): Record<string, unknown> {
  const said = Object.entries(visible).map(([key, truth]) => {
    const others = (values[key as keyof typeof values] as unknown[]).filter((other) => other !== truth);
    return [key, draw.chance(wrongShare) ? draw.one(others) : truth];
  });
  return { name, at: timestampText(startMs), ...Object.fromEntries(said), note: text };
}

function count(ratio: Ratio, holds: boolean): void {
  ratio.all += 1;
  if (holds) ratio.of += 1;
}
