import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { percent, table } from "../report/write-report.ts";
import { type Ratio, shareOf, sumRatios } from "../score/score.ts";
import { openDrawnScreen } from "./drawn-screen.ts";
import { clipModels } from "./erring-model.ts";
import { type EvidenceFigures, eyes, measureEvidence } from "./measure-evidence.ts";
import { firstPasses, type Harm, measureHarm } from "./measure-harm.ts";
import { type Recogniser, recognisers } from "./recogniser.ts";

const videosOfSeed = 30;
const evidenceHeads = [
  "model",
  "wrong confirmed",
  "wrong denied",
  "true confirmed",
  "true denied",
  "price of evidence",
];
const leastCertainHead = "wrong values in the least certain tenth";
/** The confidence is an order of what to look at first in answers that are nearly right. */
const fewWrong = 0.06;
type First = keyof typeof firstPasses;
const heads = ["clip model", "first answer", "true times harmed", "within 1 s", "moved times that are right", "price"];

/** Measures all clip models with these seeds, and writes `laboratory.md` into a directory. Returns its path. */
export async function writeLaboratory(directory: string, seeds: readonly number[]): Promise<string> {
  const rows: string[][] = [];
  for (const [model, errors] of Object.entries(clipModels)) {
    for (const first of Object.keys(firstPasses) as First[]) {
      const harms: Harm[] = [];
      for (const seed of seeds) harms.push(await measureHarm({ first, errors, videos: videosOfSeed, seed }));
      rows.push([model, first, ...cellsOf(harms)]);
    }
  }
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "laboratory.md");
  const facts = `Seeds: ${seeds.join(", ")}, ${videosOfSeed} videos each. Each share has its interval of 95 %.`;
  writeFileSync(
    path,
    `# Report of the laboratory\n\n${facts}\n\n${table([heads, ...rows])}\n\n${await witnessTable(seeds)}\n\n${await autoTable(seeds)}\n\n${await evidenceTable(seeds)}\n`,
  );
  return path;
}

/** What a witness adds to the model "real", where half of the times are wrong by three to ten seconds, and where all are right. */
async function witnessTable(seeds: readonly number[]): Promise<string> {
  const rows: string[][] = [];
  await using drawn = await openDrawnScreen();
  const hard: Recogniser = { of: "screen", drawn };
  for (const [name, recogniser] of Object.entries({ ...recognisers, "screen, hard to read": hard })) {
    // To draw and to read the frames of a seed takes two minutes.
    const measured = recogniser?.drawn ? seeds.slice(0, 2) : seeds;
    for (const first of ["planted", "exact", "typical"] as const) {
      const harms: Harm[] = [];
      const asked = { first, errors: clipModels.real ?? {}, videos: videosOfSeed, ...(recogniser && { recogniser }) };
      for (const seed of measured) harms.push(await measureHarm({ ...asked, seed }));
      const corrected = percent(sumRatios(harms.map((harm) => harm.corrected)));
      rows.push([name, first, corrected, ...cellsOf(harms)]);
    }
  }
  return `## Witnesses\n\n${table([["witness", heads[1] ?? "", "wrong times set right", ...heads.slice(2)], ...rows])}`;
}

/** What `auto` brings for less money than `times`, with the model "real" and typical answers. */
async function autoTable(seeds: readonly number[]): Promise<string> {
  const rows: string[][] = [];
  for (const name of ["none", "speech", "screen"]) {
    const recogniser = recognisers[name];
    const asked = { first: "typical" as const, errors: clipModels.real ?? {}, videos: videosOfSeed };
    const gains: number[] = [];
    for (const secondLook of ["times", "auto"] as const) {
      const harms: Harm[] = [];
      for (const seed of seeds)
        harms.push(await measureHarm({ ...asked, seed, secondLook, ...(recogniser && { recogniser }) }));
      const [before = 0, after = 0] = [harms.map((harm) => harm.before), harms.map((harm) => harm.after)].map((all) =>
        shareOf(sumRatios(all)),
      );
      gains.push(after - before);
      rows.push([name, secondLook, ...cellsOf(harms), `${((100 * (after - before)) / (gains[0] ?? 1)).toFixed(0)} %`]);
    }
  }
  return `## The mode auto\n\n${table([["witness", "mode", ...heads.slice(2), "of the gain of times"], ...rows])}`;
}

/** What evidence says about visible values, and where its confidence puts wrong values, with models that see and models that do not look. */
async function evidenceTable(seeds: readonly number[]): Promise<string> {
  const rows: string[][] = [];
  for (const [model, errors] of Object.entries(eyes)) {
    const measure = async (wrongShare?: number) => {
      const all: EvidenceFigures[] = [];
      const asked = { errors, videos: videosOfSeed, ...(wrongShare && { wrongShare }) };
      for (const seed of seeds) all.push(await measureEvidence({ ...asked, seed }));
      return all;
    };
    const [all, few] = [await measure(), await measure(fewWrong)];
    const share = (of: (figures: EvidenceFigures) => Ratio, from = all) => percent(sumRatios(from.map(of)));
    const price = all.reduce((sum, figures) => sum + figures.price, 0) / all.length;
    const wrong = [share(({ wrongConfirmed }) => wrongConfirmed), share(({ wrongDenied }) => wrongDenied)];
    const right = [share(({ trueConfirmed }) => trueConfirmed), share(({ trueDenied }) => trueDenied)];
    const least = share(({ leastCertain }) => leastCertain, few);
    rows.push([model, ...wrong, ...right, `${price.toFixed(2)} ×`, least]);
  }
  return `## Visible values, and confidence\n\n${table([[...evidenceHeads, leastCertainHead], ...rows])}`;
}

function cellsOf(harms: readonly Harm[]): string[] {
  const share = (of: (harm: Harm) => Ratio) => percent(sumRatios(harms.map(of)));
  const price = harms.reduce((sum, harm) => sum + harm.price, 0) / harms.length;
  const within = `${share(({ before }) => before)} → ${share(({ after }) => after)}`;
  return [share(({ harmed }) => harmed), within, share(({ movedRight }) => movedRight), `${price.toFixed(2)} ×`];
}
