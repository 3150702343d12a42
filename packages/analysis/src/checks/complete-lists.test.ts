import { defaultLimits } from "@video-to-json/contract";
import { type CompiledSchema, openSchemaSandbox } from "@video-to-json/schema";
import { afterAll, expect, test } from "vitest";
import type { Ask, TokenCount } from "../analysis-provider.ts";
import type { ClipWindow } from "./clip-question.ts";
import { openListCompletions } from "./complete-lists.ts";
import { checksThread, runInThreadsOf } from "./run-in-thread.ts";
import { windowSchema } from "./window-question.ts";

const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1, thread: checksThread });
afterAll(() => sandbox.close());

/** Returns a schema with two lists of moments, which may not contain the time `refused`. */
function schemaWithout(refused: string): Promise<CompiledSchema> {
  const at = { type: "string", description: "MM:SS in the video", not: { const: refused } };
  const list = { type: "array", items: { type: "object", properties: { at } } };
  return sandbox.compile(JSON.stringify({ type: "object", properties: { cuts: list, goals: list } }));
}

const clock = (seconds: number) =>
  [Math.floor(seconds / 60), seconds % 60].map((part) => String(part).padStart(2, "0")).join(":");
const perToken = 0.3 / 1_000_000;
const cost = (total: number): TokenCount => ({ total, audio: null, dollars: total * perToken, rates: null });

type Given = {
  /** The seconds of the events that the video shows, of those that only windows show, and of those that only clips show. */
  events?: readonly number[];
  invented?: readonly number[];
  late?: readonly number[];
  isLookedAtTwice?: boolean;
  ask?: Ask;
  /** A time that the schema does not allow. */
  refused?: string;
  part?: ClipWindow;
  leftMs?: number;
};

/** Opens the completeness passes of a job. In each window, the model sees the events that happen there. */
async function open({
  events = [],
  invented = [],
  late = [],
  isLookedAtTwice = false,
  ask,
  refused = "nothing",
  ...given
}: Given) {
  const { part = { fromMs: 0, toMs: 600_000 }, leftMs = 400_000 } = given;
  const windows: ClipWindow[] = [];
  const sees: Ask = async ({ clip, check }) => {
    const { fromMs, toMs } = JSON.parse(String(clip?.bytes)) as ClipWindow;
    if (check === "second_look") {
      const times = [...events, ...late].filter((second) => second * 1000 >= fromMs && second * 1000 < toMs);
      const spans = times.map((second) => ({ from: clock(second), to: clock(second) }));
      const sighting = { seen: spans.length > 0 ? "here" : "not_here", times: spans };
      return { text: JSON.stringify({ question_1: sighting }), model: "m", tokens: cost(2_000) };
    }
    const seen = [...events, ...invented].filter((second) => second * 1000 >= fromMs && second * 1000 <= toMs);
    const list = seen.map((second) => ({ at: clock(second) }));
    return { text: JSON.stringify({ cuts: list, goals: list }), model: "m", tokens: cost(12_000) };
  };
  const completions = openListCompletions(
    {
      ask: ask ?? sees,
      cutClip: async (window) => {
        windows.push(window);
        const bytes = Buffer.from(JSON.stringify(window));
        return { bytes, mimeType: "video/mp4", edges: { cutsMs: [], silences: [] } };
      },
      sandbox,
      runInThread: runInThreadsOf(sandbox),
      log: { info() {}, warn() {} },
    },
    {
      ...{ jobId: "j", schema: await schemaWithout(refused), instructions: null, isLookedAtTwice },
      seen: part,
      ...{ signal: new AbortController().signal, deadline: new Date(Date.now() + leftMs) },
    },
  );
  return { completions, windows };
}

const none = '{"cuts":[]}';
const listed = (text: string, list = "cuts") => (JSON.parse(text)[list] as { at?: string }[]).map(({ at }) => at);

test("the list gets the events of the windows in order of time, and a rejected event stays out; each window is asked about once", async () => {
  const { completions, windows } = await open({ events: [30, 250, 400] });
  const first = { text: '{"cuts":[{"at":"04:10"}]}', tokens: undefined };
  const completed = await completions.complete(first);
  expect(listed(completed.text)).toEqual(["00:30", "04:10", "06:40"]);
  expect(completed.added.map(({ pointer }) => pointer)).toEqual(["/cuts/0", "/cuts/2"]);
  completions.reject(completed.added.slice(1));
  expect(listed((await completions.complete(first)).text)).toEqual(["00:30", "04:10"]);
  const long = windows.filter(({ fromMs, toMs }) => toMs - fromMs > 60_000).map(({ fromMs }) => fromMs);
  expect(long).toEqual([...new Set(long)]);
});

test("an event that one window invents comes into no list, unless a second look follows that judges it", async () => {
  const given = { events: [30], invented: [150, 350, 550], late: [553] };
  const first = { text: none, tokens: undefined };
  expect(listed((await (await open(given)).completions.complete(first)).text)).toEqual(["00:30", "09:10"]);
  const judged = await open({ ...given, isLookedAtTwice: true });
  expect(listed((await judged.completions.complete(first)).text)).toEqual(["00:30", "02:30", "05:50", "09:10"]);
});

test("windows cost at most three times the price of the first pass", async () => {
  const { completions, windows } = await open({ events: [30] });
  await completions.complete({ text: none, tokens: cost(20_000) });
  expect(windows.length).toBeGreaterThan(0);
  expect(windows.length * 12_000).toBeLessThanOrEqual(60_000);
});

test("when its time is over, the first answer is kept, and no question about further windows is sent", async () => {
  let asked = 0;
  const ask: Ask = (_question, run) => {
    asked++;
    return new Promise((_, reject) => run?.signal.addEventListener("abort", () => reject(run.signal.reason)));
  };
  const { completions } = await open({ ask, leftMs: 300 });
  expect(await completions.complete({ text: none, tokens: undefined })).toEqual({ text: none, added: [] });
  expect(asked).toBeLessThanOrEqual(4);
});

test("no more than 200 items are added", async () => {
  const { completions } = await open({ events: Array.from({ length: 295 }, (_, index) => 4 + 2 * index) });
  expect((await completions.complete({ text: none, tokens: undefined })).added).toHaveLength(200);
});

test("a list with an item without a time stays as it is, and the others are completed", async () => {
  const text = '{"goals":[{"by":"Ada"}],"cuts":[]}';
  const { completions } = await open({ events: [30] });
  expect((await completions.complete({ text, tokens: undefined })).text).toBe(
    '{"goals":[{"by":"Ada"}],"cuts":[{"at":"00:30"}]}',
  );
});

test("an item that the schema does not allow is left out, and the others are added", async () => {
  const { completions } = await open({ events: [30, 250, 400], refused: "04:10" });
  expect(listed((await completions.complete({ text: none, tokens: undefined })).text)).toEqual(["00:30", "06:40"]);
});

test("for a part of the video, only the part is asked about; for a short part, nothing", async () => {
  const part = { fromMs: 100_000, toMs: 400_000 };
  const { completions, windows } = await open({ part });
  await completions.complete({ text: none, tokens: undefined });
  expect([windows[0]?.fromMs, windows.at(-1)?.toMs]).toEqual([100_000, 400_000]);
  const short = await open({ part: { fromMs: 100_000, toMs: 220_000 } });
  await short.completions.complete({ text: none, tokens: undefined });
  expect(short.windows).toEqual([]);
});

test("the schema of a window holds its lists without bounds, and nothing else", () => {
  const item = { type: "object", properties: { at: { type: "string" } }, required: ["at"] };
  const list = { type: "array", description: "goals", items: item };
  const schema = {
    type: "object",
    properties: {
      title: { type: "string" },
      match: { $ref: "#/$defs/match" },
      cuts: { anyOf: [{ type: "array", minItems: 3, items: { type: "string" } }, { type: "null" }] },
    },
    required: ["title"],
    $defs: { match: { type: "object", properties: { goals: { ...list, maxItems: 9 }, venue: {} } } },
  };
  expect(windowSchema(schema, ["/match/goals", "/cuts"])).toEqual({
    type: "object",
    properties: {
      match: { type: "object", properties: { goals: list }, required: ["goals"] },
      cuts: { type: "array", items: { type: "string" } },
    },
    required: ["match", "cuts"],
    $defs: schema.$defs,
  });
  expect(windowSchema({ type: "array", items: item }, [""])).toEqual({ type: "array", items: item });
  expect(windowSchema(schema, ["/none"])).toBeUndefined();
});
