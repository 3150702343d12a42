import { readFileSync } from "node:fs";
import Type, { type Static, type TSchema } from "typebox";
import { Check } from "typebox/value";
import type { Span } from "../cases/case.ts";

/** A published suite, by the name that its authors gave it. */
export const suiteNames = ["vue-tr", "qvhighlights"] as const;
export type SuiteName = (typeof suiteNames)[number];

/** A question of a suite: what to find in a video, and when it happens. Times are in milliseconds. */
export type Query = {
  id: string;
  videoId: string;
  durationMs: number;
  text: string;
  truth: readonly Span[];
  /** The moments that a released answer names, the best first. Undefined without released answers. */
  released: readonly Span[] | undefined;
};

const id = Type.Union([Type.String(), Type.Number()]);
const seconds = Type.Array(Type.Number());
const asked = { duration: Type.Number({ exclusiveMinimum: 0 }), query: Type.String() };
const VueTruth = Type.Object({ query_id: id, video_id: Type.String(), ...asked, gt: Type.Array(seconds) });
const VueAnswer = Type.Object({ query_id: id, answer: Type.Array(seconds) });
const HighlightsTruth = Type.Object({ qid: id, vid: Type.String(), ...asked, relevant_windows: Type.Array(seconds) });
const HighlightsAnswer = Type.Object({ qid: id, pred_relevant_windows: Type.Array(seconds) });

type SuiteFiles = { suite: SuiteName; annotations: string; answers?: string | undefined };

/**
 * Reads the questions of a suite from the files that its authors published, and the released answers of a model, if any.
 *
 * @throws an error that names the file and the entry that has another form.
 */
export function readSuite({ suite, annotations, answers }: SuiteFiles): Query[] {
  const released = new Map(answers === undefined ? [] : answersIn(suite, answers));
  const truths =
    suite === "vue-tr"
      ? readEntries(annotations, VueTruth).map(({ query_id, video_id, duration, query, gt }) =>
          queryOf([query_id, video_id, duration, query], gt),
        )
      : readEntries(annotations, HighlightsTruth).map(({ qid, vid, duration, query, relevant_windows }) =>
          queryOf([qid, vid, duration, query], relevant_windows),
        );
  const all = truths.map((query) => ({ ...query, released: released.get(query.id) }));
  if (answers !== undefined && all.every((query) => query.released === undefined)) {
    throw new Error(`${answers} answers no question of ${annotations}.`);
  }
  return all;
}

function answersIn(suite: SuiteName, path: string): [string, Span[]][] {
  return suite === "vue-tr"
    ? readEntries(path, VueAnswer).map(({ query_id, answer }) => [String(query_id), spansOf(answer)])
    : readEntries(path, HighlightsAnswer).map(({ qid, pred_relevant_windows }) => [
        String(qid),
        spansOf(pred_relevant_windows),
      ]);
}

function queryOf([id, videoId, duration, text]: [string | number, string, number, string], gt: number[][]) {
  return { id: String(id), videoId, durationMs: Math.round(duration * 1000), text, truth: spansOf(gt) };
}

/** A span has a start and an end in seconds; some suites add a score. */
function spansOf(lists: readonly number[][]): Span[] {
  return lists.flatMap(([start, end]) =>
    start === undefined || end === undefined ? [] : [{ startMs: start * 1000, endMs: end * 1000 }],
  );
}

/** Reads a JSON list, or one JSON value a line. */
function readEntries<Form extends TSchema>(path: string, form: Form): Static<Form>[] {
  const text = readFileSync(path, "utf8");
  const entries: unknown = text.trimStart().startsWith("[")
    ? JSON.parse(text)
    : text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line)]));
  return (entries as unknown[]).map((entry, index) => {
    if (!Check(form, entry)) throw new Error(`${path}: entry ${index + 1} does not have the form of this suite.`);
    return entry;
  });
}

/** The questions about one video. */
export type SuiteVideo = { id: string; durationMs: number; queries: readonly Query[] };

/** Groups questions by their video, which is no longer than `mostMs`: one job asks all questions about a video. */
export function videosOf(queries: readonly Query[], mostMs: number): SuiteVideo[] {
  const short = queries.filter(({ durationMs }) => durationMs <= mostMs);
  return [...Map.groupBy(short, ({ videoId }) => videoId)].map(([id, ofVideo]) => ({
    ...{ id, queries: ofVideo },
    durationMs: Math.max(...ofVideo.map(({ durationMs }) => durationMs)),
  }));
}
