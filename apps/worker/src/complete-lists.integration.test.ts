import { join } from "node:path";
import { type AnalysisProvider, analyse, openShiftMemory, prepareChecks, type Question } from "@video-to-json/analysis";
import { findConfinement, type MeasuredVideo, measure } from "@video-to-json/media";
import { openKindPlaces } from "@video-to-json/runtime/timing";
import { ffmpegDirectory, makeVideo, type VideoTruth } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openEmulatedProvider } from "./emulated-provider.harness.ts";
import { openClipCutter } from "./pipeline/checks-of-job.ts";

/** Looking at 40 events in ten minutes takes a minute. */
const events = process.env.VIDEO_TO_JSON_TEST_ALL ? 40 : 15;
const colors = ["red", "blue", "green", "yellow", "purple"] as const;
const sketch = {
  scenes: [{ start: "timestamp", end: "timestamp", color: "string — main colour" }],
  cuts: [{ at: "timestamp — a hard cut" }],
  first_beep_at: "timestamp?",
};

type Data = { scenes: { start: string; end: string; color: string }[]; cuts: { at: string }[] };

let place: Awaited<ReturnType<typeof openEmulatedProvider>>;
let path: string;
let truth: VideoTruth;
let video: MeasuredVideo;
const confinement = await findConfinement({ programDirectory: ffmpegDirectory });

beforeAll(async () => {
  place = await openEmulatedProvider();
  path = join(place.directory, "video.mp4");
  const scenes = Array.from({ length: events }, (_, index) => ({
    seconds: 11 + ((index * 7) % 9),
    color: colors[index % colors.length] ?? "red",
  }));
  truth = await makeVideo({ scenes, width: 160, height: 96, fps: 5, withoutSound: true }, path);
  video = await measure(path, { maxVideoSeconds: 900, confinement });
});

afterAll(() => place[Symbol.asyncDispose]());

beforeEach(async () => {
  await place.emulator.setFaults([]);
  await place.emulator.setErrors([{ kind: "short-list", items: 10 }]);
});

type Options = { off?: boolean; looksTwice?: boolean; schema?: object; errInWindow?: (text: string) => string };

/** Runs one extraction with a model whose lists stop after ten items. */
async function extract({ off = false, looksTwice = false, schema = sketch, errInWindow }: Options = {}) {
  const tokens = { whole: 0, windows: 0, clips: 0 };
  const questions: Question[] = [];
  const isSighting = ({ responseSchema }: Question) => JSON.stringify(responseSchema).includes('"question_1"');
  const isWindow = (question: Question) => question.clip !== undefined && !isSighting(question);
  const provider: Pick<AnalysisProvider, "withVideo"> = {
    withVideo: (file, run, use) =>
      place.gemini.withVideo(file, run, (ask) =>
        use(async (question, bounds) => {
          questions.push(question);
          const answer = await ask(question, bounds);
          tokens[isWindow(question) ? "windows" : question.clip ? "clips" : "whole"] += answer.tokens?.total ?? 0;
          return isWindow(question) && errInWindow ? { ...answer, text: errInWindow(answer.text) } : answer;
        }),
      ),
  };
  const source = { path, video, part: null, scratch: place.directory };
  const cutClip = openClipCutter(
    { provider: place.gemini, confinement, processor: openKindPlaces(4) },
    { accountId: "account", pays: true },
    source,
  );
  const job = {
    jobId: "0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a11",
    schema: await place.sandbox.compile(JSON.stringify(schema)),
    instructions: null,
    shifts: openShiftMemory()({ accountId: "account", schemaText: "{}" }),
    durationMs: video.durationMs,
    part: null,
    signal: new AbortController().signal,
    deadline: new Date(Date.now() + 400_000),
  };
  let text = "";
  await analyse(
    { provider, sandbox: place.sandbox },
    {
      video: { path, mimeType: "video/mp4", durationMs: job.durationMs, hasSound: false, jobId: job.jobId },
      ...job,
      openChecks: prepareChecks(
        {
          sandbox: place.sandbox,
          cutClip,
          hearsSound: true,
          readScreens: async () => null,
          log: { info() {}, warn() {} },
        },
        { ...job, hasSound: false, secondLook: looksTwice ? "times" : "off", completesLists: !off, evidence: null },
      ),
      onProgress: () => {},
      onConforming: async (answer) => {
        text = answer.text;
      },
    },
  );
  return { text, data: JSON.parse(text) as Data, tokens, questions };
}

const seconds = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/**
 * Returns two shares, each time counted once and to the second: how many of the true times are listed, and how many of
 * the listed times are true.
 */
function score(times: readonly string[], wanted: readonly number[]): { recall: number; precision: number } {
  const open = [...wanted];
  const hits = times.filter((time) => {
    const at = open.findIndex((second) => Math.abs(Math.floor(second) - seconds(time)) <= 1);
    if (at >= 0) open.splice(at, 1);
    return at >= 0;
  });
  return { recall: hits.length / wanted.length, precision: hits.length / times.length };
}

test("lists that stop after ten items become complete, in order, without an item twice, within the budget", async () => {
  const { data, tokens, questions } = await extract();
  const cuts = score(
    data.cuts.map(({ at }) => at),
    truth.cuts,
  );
  const scenes = score(
    data.scenes.map(({ start }) => start),
    truth.scenes.map(({ start }) => start),
  );
  const found = { cuts, scenes, tokens, share: tokens.windows / tokens.whole, windows: questions.length - 1 };
  for (const { recall, precision } of [cuts, scenes]) {
    expect(recall, JSON.stringify(found)).toBeGreaterThanOrEqual(0.95);
    expect(precision, JSON.stringify(found)).toBeGreaterThanOrEqual(0.95);
  }
  const starts = data.scenes.map(({ start }) => start);
  expect(starts).toEqual([...new Set(starts)].sort());
  expect(
    score(
      data.scenes.map(({ end }) => end),
      truth.scenes.map(({ end }) => end),
    ).recall,
  ).toBeGreaterThanOrEqual(0.95);
  expect(tokens.windows).toBeLessThanOrEqual(2 * tokens.whole);
  if (process.env.VIDEO_TO_JSON_TEST_ALL) console.info(JSON.stringify(found));
});

test("nothing but the lists changes, and a complete answer stays byte for byte as it is", async () => {
  await place.emulator.setErrors([]);
  const complete = await extract();
  expect(complete.text).toBe((await extract({ off: true })).text);
});

test("the first answer is kept when the provider fails in the windows, or the schema allows no more items", async () => {
  const bounded = {
    type: "object",
    properties: {
      cuts: {
        type: "array",
        maxItems: 10,
        items: { type: "object", properties: { at: { type: "string", description: "MM:SS" } }, required: ["at"] },
      },
    },
    required: ["cuts"],
  };
  for (const schema of [sketch, bounded]) {
    await place.emulator.setFaults([]);
    const { text } = await extract({ off: true, schema });
    if (schema === sketch) await place.emulator.setFaults([{ on: "generate", kind: "blocked", after: 1, times: -1 }]);
    expect((await extract({ schema })).text).toBe(text);
  }
});

test.each([true, false])("no list gets an item that a window invented, with a second look: %s", async (looksTwice) => {
  const schema = { cuts: sketch.cuts };
  let invented = 0;
  const { data } = await extract({
    schema,
    looksTwice,
    errInWindow: (text) => {
      const { cuts } = JSON.parse(text) as Data;
      const at = "02:36";
      if (!cuts.some((cut) => cut.at > at)) return text;
      invented++;
      return JSON.stringify({ cuts: [...cuts, { at }].sort((a, b) => a.at.localeCompare(b.at)) });
    },
  });
  expect(invented).toBeGreaterThan(0);
  const found = score(
    data.cuts.map(({ at }) => at),
    truth.cuts,
  );
  expect(found, JSON.stringify(data.cuts)).toEqual({ recall: 1, precision: 1 });
});
