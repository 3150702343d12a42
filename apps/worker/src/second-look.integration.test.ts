import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type AnalysisProvider,
  type Answer,
  analyse,
  type CheckedAnswer,
  openShiftMemory,
  prepareChecks,
  type Question,
} from "@video-to-json/analysis";
import { findConfinement, type MeasuredVideo, measure } from "@video-to-json/media";
import { openKindPlaces } from "@video-to-json/runtime/timing";
import { ffmpegDirectory, makeVideo } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openEmulatedProvider } from "./emulated-provider.harness.ts";
import { openClipCutter } from "./pipeline/checks-of-job.ts";

const sketch = {
  scenes: [{ start: "timestamp", end: "timestamp", color: "string — main colour" }],
  cuts: [{ at: "timestamp — a hard cut" }],
  first_beep_at: "timestamp?",
};
const colors = ["red", "blue", "green", "yellow", "purple"] as const;

let place: Awaited<ReturnType<typeof openEmulatedProvider>>;
let video: MeasuredVideo;
const confinement = await findConfinement({ programDirectory: ffmpegDirectory });

beforeAll(async () => {
  place = await openEmulatedProvider();
  const path = join(place.directory, "video.mp4");
  const scenes = colors.map((color, index) => ({
    seconds: 13 + index,
    color,
    sound: index === 2 ? ("tone" as const) : ("silence" as const),
  }));
  await makeVideo({ scenes, width: 160, height: 96, fps: 10, soundRate: 8000 }, path);
  video = await measure(path, { maxVideoSeconds: 600, confinement });
});

afterAll(() => place[Symbol.asyncDispose]());

beforeEach(() => place.emulator.setFaults([]));

type Options = {
  /** Changes the answers about the whole video. */
  err?: (answer: string, attempt: number) => string;
  /** Changes the answers about clips. */
  errInClip?: (answer: Answer, question: Question) => Answer | Promise<Answer>;
  off?: boolean;
  /** How long the job may take. The second look takes half of that at most. */
  deadlineMs?: number;
};

/** Runs one extraction with a model that errs about the whole video, and looks at the clips. */
async function extract({
  err = (text) => text,
  errInClip = (answer) => answer,
  off = false,
  deadlineMs = 400_000,
}: Options = {}) {
  const questions: Question[] = [];
  const tokens = { whole: 0, clips: 0 };
  const scratch = await mkdtemp(join(place.directory, "scratch-"));
  const provider: Pick<AnalysisProvider, "withVideo"> = {
    withVideo: (file, run, use) =>
      place.gemini.withVideo(file, run, (ask) =>
        use(async (question, bounds) => {
          questions.push(question);
          const answer = await ask(question, bounds);
          tokens[question.clip ? "clips" : "whole"] += answer.tokens?.total ?? 0;
          if (question.clip) return errInClip(answer, question);
          return { ...answer, text: err(answer.text, questions.filter(({ clip }) => !clip).length) };
        }),
      ),
  };
  const path = join(place.directory, "video.mp4");
  const source = { path, video, part: null, scratch };
  const cutClip = openClipCutter(
    { provider: place.gemini, confinement, processor: openKindPlaces(4) },
    { accountId: "account", pays: true },
    source,
  );
  const job = {
    jobId: "0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a11",
    schema: await place.sandbox.compile(JSON.stringify(sketch)),
    instructions: null,
    shifts: openShiftMemory()({ accountId: "a", schemaText: "{}" }),
    durationMs: video.durationMs,
    part: null,
    signal: new AbortController().signal,
    deadline: new Date(Date.now() + deadlineMs),
  };
  let stored: CheckedAnswer | undefined;
  const outcome = await analyse(
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
        { ...job, hasSound: true, secondLook: off ? "off" : "times", completesLists: false, evidence: null },
      ),
      onProgress: () => {},
      onConforming: async (answer) => {
        stored = answer;
      },
    },
  ).catch((error: unknown) => error);
  const verdicts = Object.fromEntries(
    [...(stored?.findings ?? [])].map(([pointer, { verdict }]) => [pointer, verdict]),
  );
  return {
    text: stored?.text,
    verdicts,
    findings: stored?.findings,
    outcome,
    questions,
    tokens,
    left: await readdir(scratch),
  };
}

const parse = (text: string | undefined) => JSON.parse(text ?? "null");

/** Moves every time of an answer after the first seconds by some seconds. */
function shift(text: string, seconds: (index: number) => number): string {
  let index = 0;
  return text.replace(/"(\d\d):(\d\d)"/g, (written, minutes, rest) => {
    const at = Number(minutes) * 60 + Number(rest);
    if (at === 0 || at >= 74) return written;
    const to = at + seconds(index++);
    return `"${String(Math.floor(to / 60)).padStart(2, "0")}:${String(to % 60).padStart(2, "0")}"`;
  });
}

test("an honest answer stays byte for byte as it is, and every time is confirmed within the budget", async () => {
  const without = await extract({ off: true });
  const { text, verdicts, questions, tokens, left } = await extract();
  expect(text).toBe(without.text);
  expect(parse(text).cuts).toEqual([{ at: "00:13" }, { at: "00:27" }, { at: "00:42" }, { at: "00:58" }]);
  expect(Object.keys(verdicts)).toHaveLength(15);
  expect(new Set(Object.values(verdicts))).toEqual(new Set(["confirmed"]));
  expect(tokens.clips).toBeLessThanOrEqual(2 * tokens.whole);
  expect(questions.filter(({ clip }) => !clip)).toHaveLength(1);
  expect(left).toEqual([]);
  expect((await place.emulator.state()).files).toBe(0);
});

test("each time that moves is right then, without a further attempt, and no question about a clip names the claimed time", async () => {
  const honest = await extract({ off: true });
  // Without any right time, nothing tells an answer that errs from a model that sees everything late.
  const offsets = [3, -4, 0, -3, 6, 0, -5, 7];
  const { text, questions, verdicts } = await extract({
    err: (answer) => shift(answer, (index) => offsets[index % 8] ?? 3),
  });
  const at = (answer: string | undefined, pointer: string) =>
    pointer
      .split("/")
      .slice(1)
      .reduce((value, key) => value[key], parse(answer));
  const moved = Object.keys(verdicts).filter((pointer) => verdicts[pointer] === "moved");
  expect(moved.length).toBeGreaterThanOrEqual(3);
  expect(moved.map((pointer) => at(text, pointer))).toEqual(moved.map((pointer) => at(honest.text, pointer)));
  expect(questions.filter(({ clip }) => !clip)).toHaveLength(1);
  for (const { prompt, responseSchema } of questions.filter(({ clip }) => clip)) {
    expect(JSON.stringify(responseSchema)).not.toMatch(/\d\d:\d\d/);
    expect(prompt.match(/\d\d:\d\d/g)).toHaveLength(2);
  }
});

test("the answer is kept if the budget has no further attempt for a time that the video does not show", async () => {
  const { outcome, text, verdicts, questions, tokens } = await extract({
    err: (answer) => answer.replace('{"at":"00:27"}', '{"at":"00:27"},{"at":"00:34"}'),
  });
  expect(outcome).toBeUndefined();
  expect(parse(text).cuts).toHaveLength(5);
  expect(["contradicted", "unconfirmed"]).toContain(verdicts["/cuts/2/at"]);
  expect(questions.filter(({ clip }) => !clip)).toHaveLength(1);
  expect(tokens.clips).toBeLessThanOrEqual(2 * tokens.whole);
});

describe("the first answer is kept", () => {
  const faults = [
    { on: "generate", kind: "status", status: 503, after: 1, times: -1 },
    { on: "generate", kind: "blocked", after: 1, times: -1 },
    { on: "generate", kind: "malformed-json", after: 1, times: -1 },
  ];
  test.each(faults)("when the provider fails in the second look: $kind", async (fault) => {
    await place.emulator.setFaults([fault]);
    const { text, verdicts, outcome } = await extract({ err: (answer) => shift(answer, () => 4), deadlineMs: 20_000 });
    expect(outcome).toBeUndefined();
    expect(parse(text).cuts[0]).toEqual({ at: "00:17" });
    expect(["not_checked", "unconfirmed"]).toContain(verdicts["/cuts/0/at"]);
  });

  test("when no question about a clip gets an answer", async () => {
    const { verdicts, text } = await extract({
      err: (answer) => shift(answer, () => 4),
      errInClip: () => Promise.reject(new Error("the connection broke")),
    });
    expect(new Set(Object.values(verdicts))).toEqual(new Set(["not_checked"]));
    expect(parse(text).cuts[0]).toEqual({ at: "00:17" });
  });
});
