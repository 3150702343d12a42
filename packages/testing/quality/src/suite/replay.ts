import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkAnswers } from "../laboratory/check-answers.ts";
import { type ClipErrors, clipModels } from "../laboratory/erring-model.ts";
import { table } from "../report/write-report.ts";
import type { CaseResult } from "../run/journal.ts";
import type { Ratio } from "../score/score.ts";
import type { SuiteName, SuiteVideo } from "./read-suite.ts";
import { overlapOfAll, scoreSpans } from "./score-spans.ts";
import { keyOf, momentsIn, releasedAnswer, type Suite, schemaOf } from "./suite-case.ts";

/** What the second look does to released answers. */
export type Replay = {
  /** The published figures, of the released answers and of the checked ones. */
  before: Record<string, number>;
  after: Record<string, number>;
  /** Questions whose moments overlap the truth more, or less, than before. */
  better: Ratio;
  worse: Ratio;
  /** The dollars of the checks, in dollars of the first passes. */
  price: number;
};

/** A change of the overlap that counts. */
const least = 0.01;

/** Runs the product's own checks over released answers as first passes, with a model that errs about clips. */
export async function replay(
  suite: SuiteName,
  videos: readonly SuiteVideo[],
  { errors, secondLook = "times", seed = 1 }: { errors: ClipErrors; secondLook?: "auto" | "times"; seed?: number },
): Promise<Replay> {
  const answers = videos.map((video, index) => ({
    ...{ video, durationMs: video.durationMs, data: releasedAnswer(video), seed: seed * 10_000 + index },
    schemaText: JSON.stringify(schemaOf(video)),
    scenes: video.queries.flatMap((query) => query.truth.map((span) => ({ ...span, name: keyOf(query), text: "" }))),
  }));
  const found: { truth: SuiteVideo["queries"][number]["truth"]; first: Found; checked: Found }[] = [];
  let dollars = 0;
  await checkAnswers(answers, { errors, secondLook }, ({ video, data }, checked, price) => {
    dollars += price.secondLook * video.durationMs;
    const after: unknown = JSON.parse(checked.text);
    for (const query of video.queries) {
      found.push({ truth: query.truth, first: momentsIn(data, query), checked: momentsIn(after, query) });
    }
  });
  const gains = found.map(({ truth, first, checked }) => overlapOfAll(checked, truth) - overlapOfAll(first, truth));
  const countOf = (holds: (gain: number) => boolean) => ({ of: gains.filter(holds).length, all: gains.length });
  return {
    before: scoreSpans(
      suite,
      found.map(({ truth, first }) => ({ truth, given: first })),
    ),
    after: scoreSpans(
      suite,
      found.map(({ truth, checked }) => ({ truth, given: checked })),
    ),
    better: countOf((gain) => gain > least),
    worse: countOf((gain) => gain < -least),
    price: dollars / videos.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

type Found = ReturnType<typeof momentsIn>;

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const shareCell = ({ of, all }: Ratio) => percent(of / Math.max(1, all));

/** Replays released answers with every model of clips, and writes `replay.md` into a directory. Returns its path. */
export async function writeReplay(directory: string, { name, videos }: Suite): Promise<string> {
  const rows: string[][] = [];
  for (const [model, errors] of Object.entries(clipModels)) {
    const { before, after, better, worse, price } = await replay(name, videos, { errors });
    const figures = Object.keys(before).map((key) => `${percent(before[key] ?? 0)} → ${percent(after[key] ?? 0)}`);
    rows.push([model, ...figures, shareCell(better), shareCell(worse), `${price.toFixed(2)} ×`]);
  }
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "replay.md");
  const heads = ["clip model", ...Object.keys(scoreSpans(name, [])), "better", "worse", "price"];
  const questions = videos.reduce((sum, { queries }) => sum + queries.length, 0);
  const facts = `${name}: ${questions} questions about ${videos.length} videos. The first pass is the released answer.`;
  writeFileSync(path, `# Replay of released answers\n\n${facts}\n\n${table([heads, ...rows])}\n`);
  return path;
}

/** Returns a table of the published figures of a run, beside those of the released answers. */
export function suiteTable({ name, videos }: Suite, results: readonly CaseResult[]): string {
  const queries = videos.flatMap((video) => video.queries.map((query) => ({ video, query })));
  const figures = (answerOf: (video: SuiteVideo) => unknown) => {
    const found = queries.map(({ video, query }) => ({ truth: query.truth, given: momentsIn(answerOf(video), query) }));
    return Object.values(scoreSpans(name, found)).map(percent);
  };
  const released = queries.some(({ query }) => query.released)
    ? [["released answers", ...figures(releasedAnswer)]]
    : [];
  const rows = Object.entries(Object.groupBy(results, ({ column }) => column)).map(([column, ofColumn = []]) => {
    const data = new Map(ofColumn.map((result) => [result.id, result.data]));
    return [column, ...figures(({ id }) => data.get(id))];
  });
  return table([["column", ...Object.keys(scoreSpans(name, []))], ...released, ...rows]);
}
