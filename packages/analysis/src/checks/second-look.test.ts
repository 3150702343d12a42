import { steadyNow } from "@video-to-json/runtime/timing";
import type { CompiledSchema, TimeClaim } from "@video-to-json/schema";
import { expect, test } from "vitest";
import type { AnalysisProvider, Ask, Question, TokenCount } from "../analysis-provider.ts";
import { analyse } from "../ladder/analyse.ts";
import type { CutClip } from "./ask-clips.ts";
import { openShiftMemory } from "./calibrate.ts";
import { type ClipWindow, clipTime } from "./clip-question.ts";
import { type CheckedAnswer, prepareChecks } from "./prepare-checks.ts";
import { openSecondLooks } from "./second-look.ts";
import { runHere, tasksHere } from "./tasks.harness.ts";

const form = { kind: "clock", groups: 2, firstDigits: 2, decimals: 0, point: "." } as const;
const notHereReply = '{"question_1":{"seen":"not_here","times":[]}}';
const never = new AbortController().signal;

type Given = { ask: Ask; claims?: number; signal?: AbortSignal; leftMs?: number; tokens?: TokenCount };

/** Opens second looks at an answer whose times are a minute apart: one clip each. */
function open({ ask, claims = 10, signal = never, leftMs = 400_000, tokens }: Given) {
  const found = Array.from({ length: claims }, (_, index): TimeClaim => {
    const fromMs = 60_000 * index + 20_000;
    const pointer = { pointer: `/by/secret${index}/at`, pointerForCaller: "/by/*/at" };
    return { ...pointer, fromMs, toMs: fromMs + 1000, edge: "start", otherEdge: null, form, what: `what ${index}` };
  });
  const looks = openSecondLooks(
    {
      ask,
      cutClip: async () => ({ bytes: Buffer.alloc(1), mimeType: "video/mp4", edges: { cutsMs: [], silences: [] } }),
      sandbox: { findTimes: async () => found },
      runInThread: runHere,
      log: { info() {}, warn() {} },
    },
    {
      ...{ jobId: "j", schema: {} as CompiledSchema, instructions: null, signal },
      shifts: openShiftMemory()({ accountId: "a", schemaText: "{}" }),
      seen: { fromMs: 0, toMs: 600_000 },
      deadline: new Date(steadyNow() + leftMs),
    },
  );
  return () => looks.take({ text: "{}", tokens });
}

const look = (given: Given) => open(given)();

const perToken = 0.3 / 1_000_000;
const cost = (total: number): TokenCount => ({ total, audio: null, dollars: total * perToken, rates: null });
const untilAborted: Ask = (_question, run) =>
  new Promise((_, reject) => run?.signal.addEventListener("abort", () => reject(run.signal.reason)));
const unchecked = (findings: ReadonlyMap<string, { verdict: string }>) =>
  [...findings.values()].filter(({ verdict }) => verdict === "not_checked").length;

test("clips cost at most twice the price of the first pass; without tokens, times are not checked", async () => {
  let spent = 0;
  const ask: Ask = async () => {
    spent += 3000;
    return { text: notHereReply, model: "m", tokens: cost(3000) };
  };
  const { findings } = await look({ ask, tokens: cost(5000) });
  expect(spent).toBeGreaterThan(0);
  expect(spent).toBeLessThanOrEqual(10_000);
  expect(findings.size).toBe(10);
  expect(unchecked(findings)).toBe(10 - spent / 3000);
});

test("a clip that costs less than expected leaves money for the next attempt", async () => {
  let asked = 0;
  const ask: Ask = async () => ({ text: notHereReply, model: "m", tokens: cost(++asked && 100) });
  const take = open({ ask, tokens: cost(5000) });
  await take();
  const first = asked;
  await take();
  expect(asked).toBeGreaterThan(first);
});

test("it has a minute, and no more than half of the time that its job has left", async () => {
  const ends: number[] = [];
  const ask: Ask = async (_question, run) => {
    ends.push(Number(run?.deadline) - startedAt);
    return { text: notHereReply, model: "m" };
  };
  const startedAt = steadyNow();
  await look({ ask, claims: 1 });
  await look({ ask, claims: 1, leftMs: 20_000 });
  expect(Math.round((ends[0] ?? 0) / 5000)).toBe(12);
  expect(Math.round((ends.at(-1) ?? 0) / 5000)).toBe(2);
});

test("when its time is over, the remaining times are not checked, and no question about further clips is sent", async () => {
  let asked = 0;
  const ask: Ask = (question, run) => untilAborted(question, run).finally(() => asked++);
  const { text, findings } = await look({ ask, leftMs: 400 });
  expect([text, unchecked(findings)]).toEqual(["{}", 10]);
  expect(asked).toBeLessThanOrEqual(4);
});

test("the end of its job ends it, and does not count as a failure of the second look", async () => {
  const job = new AbortController();
  const ask: Ask = (question, run) => {
    job.abort(new Error("the job is over"));
    run?.signal.throwIfAborted();
    return untilAborted(question, run);
  };
  await expect(look({ ask, signal: job.signal })).rejects.toThrow("the job is over");
});

test("a contradicted time is named to the caller without the model's words", async () => {
  const ask: Ask = async () => ({ text: notHereReply, model: "m" });
  const { violations, violationsForCaller } = await look({ ask, claims: 1 });
  expect(violations[0]).toMatch(/^\/by\/secret0\/at: 00:20\.0 is wrong: the video does not show this/);
  expect(violationsForCaller).toEqual([expect.stringMatching(/^\/by\/\*\/at: a second look/)]);
});

const durationMs = 600_000;
const text = '{"type":"object"}';
const schema: CompiledSchema = { kind: "json-schema", schemaText: text, fullText: text, promptText: text, lean: null };

/** Returns the claims of an answer such as `{"at":"05:00"}`. The first one is `/at`. */
function timesIn(answer: string): TimeClaim[] {
  const form = { kind: "clock", groups: 2, firstDigits: 2, decimals: 0, point: "." } as const;
  return [...answer.matchAll(/(\d\d):(\d\d)/g)].map(([, minutes, seconds], index) => {
    const fromMs = (Number(minutes) * 60 + Number(seconds)) * 1000;
    const pointer = index === 0 ? "/at" : `/others/${index}`;
    const place = { pointer, pointerForCaller: pointer, otherEdge: null };
    return { ...place, fromMs, toMs: fromMs + 1000, edge: "start", form, what: "a goal" };
  });
}

const here = (...times: number[]) => ({
  seen: "here",
  times: times.map((ms) => ({ from: clipTime(ms), to: clipTime(ms) })),
});
const notHere = { seen: "not_here", times: [] };

/**
 * Runs a job about ten minutes. `answers` are those about the whole video; `look` answers about the n-th clip. `earlier`: how
 * much later than the answers the looks saw edges in earlier videos.
 */
async function extract(
  answers: string[],
  look: (window: ClipWindow, nth: number) => object,
  { earlier = [], of = {} }: { earlier?: readonly number[]; of?: { accountId?: string; schemaText?: string } } = {},
) {
  const shiftsOf = openShiftMemory();
  for (const shift of earlier) shiftsOf({ accountId: "a", schemaText: "{}", ...of }).add([shift]);
  const windows = new Map<unknown, ClipWindow>();
  const [asked, tokens]: [Question[], number[]] = [[], []];
  let clips = 0;
  const provider: Pick<AnalysisProvider, "withVideo"> = {
    withVideo: (_video, _run, use) =>
      use(async (question) => {
        const window = windows.get(question.clip?.bytes);
        const video = ((window ? window.toMs - window.fromMs : durationMs) / 1000) * 95;
        const pictures = (question.clip?.framesPerSecond ?? 1) * video;
        tokens.push(pictures + 500);
        if (!window) asked.push(question);
        const reply = window ? { question_1: look(window, ++clips) } : undefined;
        return {
          text: reply ? JSON.stringify(reply) : (answers.shift() ?? "no more answers"),
          model: question.model,
          tokens: {
            ...cost(pictures + 500),
            rates: { picture: 95 * perToken, soundSecond: 0, input: perToken, output: perToken },
          },
        };
      }),
  };
  const check = async (_schema: unknown, answer: string) => ({ ok: true as const, text: answer });
  const findTimes = async (_: unknown, answer: string) => timesIn(answer);
  const cutClip: CutClip = async (window) => {
    const bytes = new Uint8Array(1);
    windows.set(bytes, window);
    return { bytes, mimeType: "video/mp4", edges: { cutsMs: [], silences: [] } };
  };
  const job = {
    ...{ jobId: "job", schema, instructions: null, durationMs, part: null, hasSound: false },
    shifts: shiftsOf({ accountId: "a", schemaText: "{}" }),
    ...{ signal: new AbortController().signal, deadline: new Date(steadyNow() + 400_000) },
  };
  const sandbox = { ...tasksHere, findTimes, findLists: async () => [] };
  const checksDeps = {
    sandbox,
    cutClip,
    hearsSound: true,
    readScreens: async () => null,
    log: { info() {}, warn() {} },
  };
  let stored: CheckedAnswer | undefined;
  await analyse(
    { provider, sandbox: { check, checkPart: check } },
    {
      ...job,
      video: { path: "/nowhere", mimeType: "video/mp4", durationMs: 600_000, hasSound: true, jobId: "job" },
      openChecks: prepareChecks(checksDeps, { ...job, secondLook: "times", completesLists: false, evidence: null }),
      onProgress: () => {},
      onConforming: async (answer) => {
        stored = answer;
      },
    },
  );
  const [first = 0, ...others] = tokens;
  const extra = others.reduce((sum, each) => sum + each, 0) / first;
  return { text: stored?.text, verdict: stored?.findings?.get("/at")?.verdict, asked, clips, extra };
}

const isIn = ({ fromMs, toMs }: ClipWindow, ms: number) => ms >= fromMs && ms < toMs;

test("further attempts and all second looks together cost twice the first pass at most; then the answer is kept", async () => {
  const answers = ["01:00", "03:00", "05:00", "07:00"].map((at) => `{"at":"${at}"}`);
  const { text, verdict, extra } = await extract(answers, () => notHere);
  expect(extra).toBeLessThanOrEqual(2);
  expect(text).toBe('{"at":"01:00"}');
  expect(verdict).toBe("contradicted");
});

test("a contradicted time is a violation while the budget holds a further attempt", async () => {
  const { text, verdict, asked, extra } = await extract(['{"at":"05:00"}', '{"at":"01:40"}'], (window) =>
    isIn(window, 100_000) ? here(100_000) : notHere,
  );
  expect(asked[1]?.prompt).toContain("/at: 05:00.0 is wrong");
  expect([text, verdict]).toEqual(['{"at":"01:40"}', "confirmed"]);
  expect(extra).toBeLessThanOrEqual(2);
});

test("a time that is off by a minute is found further away and corrected, without a further attempt", async () => {
  const { text, verdict, asked } = await extract(['{"at":"05:00"}'], (window) =>
    isIn(window, 240_000) ? here(240_000) : notHere,
  );
  expect([text, verdict]).toEqual(['{"at":"04:00"}', "moved"]);
  expect(asked).toHaveLength(1);
});

test.each<[string, object, object, [string, string]]>([
  ["both see it within a second", here(306_000), here(306_600), ["05:06", "moved"]],
  ["both see it five seconds earlier", here(295_000), here(295_000), ["04:55", "moved"]],
  ["the second sees it where it was claimed", here(306_000), here(300_000), ["05:00", "unconfirmed"]],
  ["the second does not see it", here(306_000), notHere, ["05:00", "unconfirmed"]],
  ["both see it two seconds away", here(302_500), here(302_500), ["05:00", "unconfirmed"]],
])(
  "when of two looks in different windows %s, the time is as the answer says or as both see it",
  async (_, first, second, expected) => {
    const windows: ClipWindow[] = [];
    const { text, verdict, asked } = await extract(['{"at":"05:00"}'], (window, nth) => {
      windows.push(window);
      return nth === 1 ? first : second;
    });
    expect([text, verdict, asked.length]).toEqual([`{"at":"${expected[0]}"}`, expected[1], 1]);
    const starts = windows.map(({ fromMs }) => fromMs);
    if (starts.length > 1) expect(Math.abs((starts[0] ?? 0) - (starts[1] ?? 0))).toBeGreaterThanOrEqual(3_000);
  },
);

/** Ten minutes with an event at each of these moments, which every clip shows later by `lateMs`. */
const eventsLate = (lateMs: number, events: number[]) => (window: ClipWindow) => {
  const times = events.map((at) => at + lateMs).filter((at) => isIn(window, at));
  return times.length > 0 ? here(...times) : notHere;
};

test.each([
  ["none of them moves if the answer is right", "07:00"],
  ["one that is wrong moves to where the answer would see it", "07:06"],
])("when the looks see all times of an answer later by the same amount, %s", async (_, at) => {
  const late = eventsLate(2_500, [60_500, 180_500, 300_500, 420_500]);
  const answer = { at, others: ["", "01:00", "03:00", "05:00"] };
  const { text } = await extract([JSON.stringify(answer)], late);
  expect(JSON.parse(text ?? "")).toEqual({ ...answer, at: "07:00" });
});

test("a time that two looks see only three seconds away stays if nothing shows whether the looks are late", async () => {
  const { text, verdict } = await extract(['{"at":"05:00"}'], eventsLate(0, [304_000]));
  expect([text, verdict]).toEqual(['{"at":"05:00"}', "unconfirmed"]);
});

test("a time that is seen too far away for any shift moves, even where the looks at the other times may be late", async () => {
  const answer = { at: "07:00", others: ["", "01:00", "03:00", "05:00"] };
  const { text } = await extract([JSON.stringify(answer)], eventsLate(0, [62_000, 182_000, 302_000, 427_000]));
  expect(JSON.parse(text ?? "")).toEqual({ ...answer, at: "07:07" });
});

test("a time that two looks see three seconds away moves if the looks see another time where it was claimed", async () => {
  const { text } = await extract(['{"at":"05:00","others":["","01:00"]}'], eventsLate(0, [60_500, 304_000]));
  expect(JSON.parse(text ?? "").at).toBe("05:04");
});

const often = (shiftMs: number) => Array.from({ length: 15 }, () => shiftMs);

test.each<[string, Parameters<typeof extract>[2], string]>([
  ["moves if the looks at earlier videos were right", { earlier: often(0) }, "05:04"],
  [
    "moves to where the answer would see it if the looks at earlier videos were late",
    { earlier: often(-2_500) },
    "05:06",
  ],
  ["stays if a few earlier looks only were right", { earlier: often(0).slice(0, 10) }, "05:00"],
  ["stays if the earlier videos are those of another account", { earlier: often(0), of: { accountId: "b" } }, "05:00"],
  ["stays if the earlier videos had another schema", { earlier: often(0), of: { schemaText: "[]" } }, "05:00"],
])("a time that two looks see three seconds away %s", async (_, known, expected) => {
  const { text } = await extract(['{"at":"05:00"}'], eventsLate(0, [304_000]), known);
  expect(text).toBe(`{"at":"${expected}"}`);
});

test("a time that two looks see far away moves to where the answer would see it if the looks at earlier videos were late", async () => {
  const { text } = await extract(['{"at":"05:00"}'], eventsLate(0, [308_000]), { earlier: often(-2_500) });
  expect(text).toBe('{"at":"05:10"}');
});

test("where the looks at one video are certain, those at earlier videos decide nothing", async () => {
  const late = eventsLate(2_500, [60_900, 180_900, 300_900, 420_900]);
  const answer = JSON.stringify({ at: "07:00", others: ["", "01:00", "03:00", "05:00"] });
  const { text } = await extract([answer], late, { earlier: often(0) });
  expect(text).toBe(answer);
});

test("where one answer about a clip of several is unclear, another clip shows its time", async () => {
  const shown = eventsLate(0, [60_500, 180_500, 306_000]);
  const windows: ClipWindow[] = [];
  const { text } = await extract(['{"at":"05:00","others":["","01:00","03:00"]}'], (window) => {
    if (!isIn(window, 306_000)) return shown(window);
    windows.push(window);
    return windows.length === 1 ? { seen: "cannot_tell", times: [] } : shown(window);
  });
  expect(JSON.parse(text ?? "").at).toBe("05:06");
  expect(
    windows.map(({ fromMs }) => fromMs - (windows[0]?.fromMs ?? 0)).every((ms, nth) => nth === 0 || ms !== 0),
  ).toBe(true);
});

test("of three looks, the two that agree decide", async () => {
  const looks = [here(306_000), here(307_500), here(306_400)];
  const { text, clips } = await extract(['{"at":"05:00"}'], (_window, nth) => looks[nth - 1] ?? notHere);
  expect([text, clips]).toEqual(['{"at":"05:06"}', 3]);
});

test("six looks that see the event at six different moments move no time", async () => {
  const looks = [306_000, 309_000, 311_500, 304_500, 307_500, 302_800].map((ms) => here(ms));
  const { text, verdict, clips } = await extract(['{"at":"05:00"}'], (_window, nth) => looks[nth - 1] ?? notHere);
  expect([text, verdict, clips]).toEqual(['{"at":"05:00"}', "unconfirmed", 6]);
});

test("if the second look misses the event, the third clip includes the claimed time, and an event there decides", async () => {
  const windows: ClipWindow[] = [];
  const looks = [here(308_000), notHere, here(300_000), here(308_000)];
  const { text, verdict } = await extract(['{"at":"05:00"}'], (window, nth) => {
    windows.push(window);
    return looks[nth - 1] ?? notHere;
  });
  expect([text, verdict, windows.length]).toEqual(['{"at":"05:00"}', "unconfirmed", 3]);
  expect(isIn(windows[2] as ClipWindow, 300_000) && isIn(windows[2] as ClipWindow, 308_000)).toBe(true);
});

test("after an event was found far away, each further clip stays short and does not reach back to the claimed time", async () => {
  const lengths: number[] = [];
  await extract(['{"at":"05:00"}'], (window, nth) => {
    lengths.push(window.toMs - window.fromMs);
    return nth === 2 ? here(240_000) : notHere;
  });
  expect(lengths.length).toBeGreaterThan(3);
  expect(Math.max(...lengths.slice(2))).toBeLessThan(40_000);
});

test("a contradiction that a second clip does not share does not count", async () => {
  const { text, verdict, clips } = await extract(['{"at":"05:00"}'], (_window, nth) =>
    nth === 1 ? notHere : here(300_000),
  );
  expect([text, verdict, clips]).toEqual(['{"at":"05:00"}', "confirmed", 2]);
});

test("clips with one picture a second contradict nothing, because it may be too short for them", async () => {
  const times = Array.from({ length: 20 }, (_, index) => clipTime(index * 29_000 + 4000).slice(0, 5));
  const { verdict, asked } = await extract([JSON.stringify(times)], () => notHere);
  expect([verdict, asked.length]).toEqual(["unconfirmed", 1]);
});

test("a time stays where it is if it could belong to several distant events", async () => {
  const { text, verdict } = await extract(['{"at":"05:00"}', '{"at":"05:00"}'], (window) =>
    isIn(window, 240_000) ? here(240_000, 350_000) : notHere,
  );
  expect([text, verdict]).toEqual(['{"at":"05:00"}', "contradicted"]);
});

test("second looks whose answers cannot be used change nothing, fail nothing and are not repeated", async () => {
  const replies = [
    { seen: "here", times: [{ from: "05:09.0", to: "05:02.0" }] },
    { seen: "here", times: [{ from: "00:09", to: "00:10" }] },
    { seen: "here", times: [{ from: "06:04", to: "06:05" }] },
    { seen: "here", times: [{ from: "05:04", to: "later" }] },
    { seen: "here", times: [{ from: "05:04", to: "05:05" }, { from: "soon" }] },
    { seen: "cannot_tell", times: [{ from: "05:04", to: "05:05" }] },
    { seen: "maybe", times: [{ from: "05:04", to: "05:05" }] },
    { seen: "not_here", times: [{ from: "05:04", to: "05:05" }] },
    { seen: "here", times: "05:04" },
    { verdict: "moved" },
  ];
  for (const reply of replies) {
    const { text, verdict, asked, clips } = await extract(['{"at":"05:00"}'], () => reply);
    const result = [text, verdict, asked.length, clips];
    expect(result, JSON.stringify(reply)).toEqual(['{"at":"05:00"}', "unconfirmed", 1, 1]);
  }
});
