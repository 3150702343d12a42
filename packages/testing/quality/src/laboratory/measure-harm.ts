import type { CheckedAnswer } from "@video-to-json/analysis";
import { timestampText } from "@video-to-json/contract";
import { type Random, randomFrom } from "@video-to-json/testing/running";
import { readTime, timeError } from "../score/compare.ts";
import type { Ratio } from "../score/score.ts";
import { checkAnswers } from "./check-answers.ts";
import { type ClipErrors, deviation, misreadDigit, type Scene } from "./erring-model.ts";
import type { Recogniser } from "./recogniser.ts";

/** What the second look and the evidence do to answers, good and bad. */
export type Harm = {
  /** Times of the first answer, and of the checked one, that are right within a second. */
  before: Ratio;
  after: Ratio;
  /** True times that are no longer true, out of all true ones. */
  harmed: Ratio;
  /** Wrong times that are right now, out of all wrong ones. */
  corrected: Ratio;
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

/** A first answer with planted errors: half of its times are wrong by three to ten seconds. */
const planted = (draw: Random) => (draw.chance(0.5) ? 0 : draw.one([-1, 1]) * (3_000 + draw.whole(0, 7_000)));
const allPasses = { ...firstPasses, planted };
type First = keyof typeof allPasses;

const durationMs = 300_000;
const scenesInVideo = 6;
const misreadShare = 0.3;
const words = ["SCORE", "TOTAL", "PLATFORM", "ROOM", "EXIT", "CAR"];

/** Runs the product's own checks over answers about many videos, with a model that errs. */
export async function measureHarm({
  first,
  errors,
  videos,
  seed = 1,
  secondLook = "times",
  recogniser,
  keys = ["start", "end"],
}: {
  first: First;
  errors: ClipErrors;
  videos: number;
  seed?: number;
  secondLook?: "auto" | "times";
  recogniser?: Recogniser;
  /** What the schema calls the two times of a scene. */
  keys?: Keys;
}): Promise<Harm> {
  const harm = emptyHarm();
  const [start, end] = keys;
  const schemaText = JSON.stringify({
    scenes: [{ name: "string", [start]: "timestamp", [end]: "timestamp", text: "string" }],
  });
  const drawn = Array.from({ length: videos }, (_, video) => {
    const draw = randomFrom(seed * 10_000 + video);
    const scenes = drawScenes(draw, recogniser?.of === "speech");
    const data = { scenes: scenes.map((scene) => answerAbout(scene, { draw, first, keys })) };
    return { schemaText, durationMs, scenes, data, seed: seed * 10_000 + video };
  });
  await checkAnswers(
    drawn,
    { errors, secondLook, ...(recogniser && { recogniser }) },
    ({ scenes, data }, checked, price) => {
      harm.price += price.secondLook / videos;
      addHarm(harm, { scenes, data, checked, keys });
    },
  );
  return harm;
}

/** A scene, with its two times under the keys of the schema. */
type Item = { name: string; text: string } & Record<string, string>;
type Keys = readonly [start: string, end: string];

function drawScenes(draw: Random, isSpoken: boolean): Scene[] {
  const slot = durationMs / scenesInVideo;
  return Array.from({ length: scenesInVideo }, (_, index) => {
    const startMs = index * slot + draw.whole(6000, 20_000);
    const name = `scene ${String.fromCharCode(65 + index)}`;
    return {
      name,
      startMs,
      endMs: startMs + draw.whole(4000, 15_000),
      text: isSpoken ? sentenceOf(draw, index) : `${words[index]} ${draw.whole(100, 999)}`,
    };
  });
}

function sentenceOf(draw: Random, index: number): string {
  const verbs = ["close", "open", "move", "paint"];
  return `${draw.one(["we", "they", "you"])} ${draw.one(verbs)} the ${words[index]?.toLowerCase()} number ${draw.whole(100, 999)} today`;
}

type Draw = { draw: Random; first: First; keys: Keys };

function answerAbout({ name, startMs, endMs, text }: Scene, { draw, first, keys }: Draw): Item {
  const edges = () => ({ start: startMs + allPasses[first](draw), end: endMs + allPasses[first](draw) });
  let { start, end } = edges();
  // To keep the order would make a planted error smaller than three seconds.
  while (first === "planted" && end < start + 1000) ({ start, end } = edges());
  end = Math.max(start + 1000, end);
  const write = (ms: number) => timestampText(Math.min(durationMs, Math.max(0, ms)));
  const read = draw.chance(misreadShare) ? misreadDigit(text, draw) : text;
  return { name, [keys[0]]: write(start), [keys[1]]: write(end), text: read };
}

function emptyHarm(): Harm {
  const none = () => ({ of: 0, all: 0 });
  return {
    ...{ before: none(), after: none(), harmed: none(), corrected: none(), movedRight: none() },
    ...{ wrongConfirmed: none(), trueDenied: none(), price: 0 },
  };
}

type Checked = { scenes: readonly Scene[]; data: { scenes: Item[] }; checked: CheckedAnswer; keys: Keys };

function addHarm(harm: Harm, { scenes, data, checked, keys }: Checked): void {
  const after = (JSON.parse(checked.text) as { scenes: Item[] }).scenes;
  const fields = checked.evidence?.fields ?? {};
  for (const [index, scene] of scenes.entries()) {
    const [was, is] = [data.scenes[index], after[index]];
    if (!was || !is) continue;
    for (const [edge, trueMs] of [
      [keys[0], scene.startMs],
      [keys[1], scene.endMs],
    ] as const) {
      const [wasTrue, isTrue] = [was, is].map((item) => timeError(readTime(item[edge] ?? "") ?? 0, trueMs) <= 1000);
      count(harm.before, wasTrue);
      count(harm.after, isTrue);
      if (wasTrue) count(harm.harmed, !isTrue);
      else count(harm.corrected, isTrue);
      if (was[edge] !== is[edge]) count(harm.movedRight, isTrue);
    }
    const verdict = fields[`/scenes/${index}/text`]?.verdict;
    if (was.text === scene.text) count(harm.trueDenied, verdict === "contradicted");
    else count(harm.wrongConfirmed, verdict === "confirmed");
  }
}

function count(ratio: Ratio, holds = false): void {
  ratio.all += 1;
  if (holds) ratio.of += 1;
}
