import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { timestampText } from "@video-to-json/contract";
import type { Span } from "../cases/case.ts";
import type { Case } from "../cases/make-case.ts";
import type { Options } from "../options.ts";
import { renderVideo } from "../render/render-video.ts";
import { readTime } from "../score/compare.ts";
import { type Query, readSuite, type SuiteName, type SuiteVideo, videosOf } from "./read-suite.ts";

type SuiteOptions = NonNullable<Options["suite"]>;

/** A moment of an answer. Times are `MM:SS`. */
type Moment = { start: string; end: string };

/** Returns the key of a question in schemas and answers. */
export function keyOf({ id }: Pick<Query, "id">): string {
  return `query_${id}`;
}

const time = (what: string) => ({ type: "string", description: `MM:SS, ${what}` });

/** Returns the schema that asks all questions about a video: a list of moments each, the best first. */
export function schemaOf({ queries }: SuiteVideo): Record<string, unknown> {
  const properties = queries.map((query) => [
    keyOf(query),
    {
      type: "array",
      description: `All moments that show or tell this: ${query.text}`,
      items: {
        type: "object",
        properties: { start: time("when it begins"), end: time("when it is over") },
        required: ["start", "end"],
        additionalProperties: false,
      },
    },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: queries.map(keyOf),
    additionalProperties: false,
  };
}

/** Returns the released answers about a video as an answer to its schema. Times after the end of the video become its end. */
export function releasedAnswer({ queries, durationMs }: SuiteVideo): Record<string, Moment[]> {
  const inside = (ms: number) => timestampText(Math.min(durationMs, Math.max(0, ms)));
  const momentOf = ({ startMs, endMs }: Span) => ({
    start: inside(startMs),
    end: inside(Math.ceil(endMs / 1000) * 1000),
  });
  return Object.fromEntries(
    queries.map((query) => [
      keyOf(query),
      (query.released ?? []).filter(({ startMs, endMs }) => startMs <= endMs).map(momentOf),
    ]),
  );
}

/** Returns the moments that an answer names for a question. */
export function momentsIn(data: unknown, query: Query): Span[] {
  const list = (data as Record<string, unknown> | undefined)?.[keyOf(query)];
  return (Array.isArray(list) ? list : []).flatMap((moment: Partial<Moment> | null) => {
    const [startMs, endMs] = [readTime(moment?.start), readTime(moment?.end)];
    return startMs === undefined || endMs === undefined ? [] : [{ startMs, endMs }];
  });
}

/**
 * Returns the case of a video: the user's own file `<id>.mp4` in the directory, or a rendered video of the same length whose
 * marks are the true moments.
 */
function caseOf(video: SuiteVideo, directory: string | undefined): Case {
  const { id, durationMs, queries } = video;
  const path = directory === undefined ? undefined : join(directory, `${id}.mp4`);
  const spansOf = ({ truth }: Query) => truth.filter(({ endMs }) => endMs <= durationMs);
  const events = queries.flatMap((query) =>
    spansOf(query).map((span) => ({ label: keyOf(query), ...span, via: "sight" as const, attributes: {}, shows: [] })),
  );
  return {
    ...{ id, durationMs, schema: schemaOf(video) },
    truth: {
      ...{ values: [], times: [], absent: [] },
      lists: queries.map((query) => ({
        ...{ pointer: `/${keyOf(query)}`, startKey: "start", endKey: "end" },
        items: spansOf(query).map((span) => ({
          ...{ span, times: { start: span.startMs, end: span.endMs }, values: {}, absent: [] },
        })),
      })),
    },
    video: () =>
      path === undefined ? renderVideo({ durationMs, background: "black", facts: {}, events }) : readFile(path),
  };
}

/** The videos of a suite that a run asks about. */
export type Suite = { name: SuiteName; videos: readonly SuiteVideo[]; directory: string | undefined };

/** Reads a suite and chooses its videos: those that are short enough, and in the directory, if there is one. */
export function chooseVideos({ name, annotations, answers, videos: directory, mostMs, limit }: SuiteOptions): Suite {
  const all = videosOf(readSuite({ suite: name, annotations, answers }), mostMs);
  const here = directory === undefined ? all : all.filter(({ id }) => existsSync(join(directory, `${id}.mp4`)));
  if (here.length === 0) {
    throw new Error(
      `No video of this suite is short enough and in ${directory ?? annotations}: ${all[0]?.id}.mp4 is expected.`,
    );
  }
  return { name, directory, videos: here.slice(0, limit) };
}

/** Returns a case for each video. */
export function casesOf({ videos, directory }: Suite): Case[] {
  return videos.map((video) => caseOf(video, directory));
}

/** Returns the error with which the emulator gives the released answers. */
export function releasedError({ videos }: Suite): object {
  const lists = videos.flatMap((video) => {
    const answer = releasedAnswer(video);
    return video.queries.map((query) => [
      keyOf(query),
      momentsIn(answer, query).map(({ startMs, endMs }) => ({ start: startMs, end: endMs })),
    ]);
  });
  return { kind: "replay", lists: Object.fromEntries(lists) };
}
