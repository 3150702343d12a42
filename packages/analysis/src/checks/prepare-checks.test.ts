import { steadyNow } from "@video-to-json/runtime/timing";
import type { CompiledSchema } from "@video-to-json/schema";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Ask } from "../analysis-provider.ts";
import { openShiftMemory } from "./calibrate.ts";
import type { TimeFinding } from "./judge-times.ts";
import type { AddedItem } from "./merge-lists.ts";
import {
  type CheckedAnswer,
  type ChecksDeps,
  type JobToCheck,
  lookAtCompleted,
  prepareChecks,
} from "./prepare-checks.ts";
import { tasksHere } from "./tasks.harness.ts";

type Given = { deps?: Partial<ChecksDeps>; job?: Partial<JobToCheck>; leftMs?: number };

/** Returns how to open the checks of a job about a silent video of a minute. */
function open({ deps, job, leftMs = 400_000 }: Given) {
  return prepareChecks(
    {
      sandbox: { ...tasksHere, findTimes: async () => [], findLists: async () => [] },
      cutClip: () => Promise.reject(new Error("nothing is cut")),
      hearsSound: true,
      readScreens: async () => null,
      log: { info() {}, warn() {} },
      ...deps,
    },
    {
      ...{ jobId: "j", schema: { fullText: "{}" } as CompiledSchema, instructions: null },
      ...{ durationMs: 60_000, part: null, hasSound: false },
      shifts: openShiftMemory()({ accountId: "a", schemaText: "{}" }),
      ...{ signal: new AbortController().signal, deadline: new Date(steadyNow() + leftMs) },
      ...{ secondLook: "off", completesLists: false, evidence: null, ...job },
    },
  );
}

test("a job that wants no checks has none, and neither has one whose provider takes no clips", () => {
  expect(open({})).toBeUndefined();
  expect(open({ job: { secondLook: "times", completesLists: true }, deps: { cutClip: null } })).toBeUndefined();
  expect(open({ job: { secondLook: "times" } })).toBeDefined();
  expect(open({ job: { evidence: { ms: 60_000, maxBytes: 65_536 } }, deps: { cutClip: null } })).toBeDefined();
});

const form = { kind: "clock", groups: 2, firstDigits: 2, decimals: 0, point: "." } as const;
const at = { pointer: "/at", pointerForCaller: "/at", fromMs: 5000, toMs: 6000, otherEdge: null, form, what: "a cut" };
/** An answer whose only time is five seconds, in a video that clips can be cut of. */
const deps: Partial<ChecksDeps> = {
  cutClip: async () => ({ bytes: Buffer.alloc(1), mimeType: "video/mp4", edges: { cutsMs: [], silences: [] } }),
  sandbox: { ...tasksHere, findTimes: async () => [{ ...at, edge: "start" }], findLists: async () => [] },
};

test("without time for another attempt, an answer that the second look contradicts is kept", async () => {
  const notHere: Ask = async () => ({ text: '{"question_1":{"seen":"not_here","times":[]}}', model: "m" });
  const review = (attemptMs: number) => {
    const tokens = { total: 100_000, audio: null, dollars: 0.03, rates: null };
    const fresh = { text: '{"at":"00:05"}', written: "", model: "m", tokens, attemptMs, isLast: false };
    return open({ deps, job: { secondLook: "times" }, leftMs: 6_000 })?.(notHere).review(fresh);
  };
  expect((await review(1_000))?.failed?.violations).toEqual([expect.stringContaining("/at: 00:05.0 is wrong")]);
  const kept = await review(3_100);
  const answer: CheckedAnswer | undefined = kept?.answer;
  expect([kept?.failed, answer?.findings?.get("/at")?.verdict]).toEqual([null, "contradicted"]);
});

test("`times` searches the screen around a time that no clip shows, and `auto` reads only the frames beside it", async () => {
  const notHere: Ask = async () => ({ text: '{"question_1":{"seen":"not_here","times":[]}}', model: "m" });
  const framesOf = async (secondLook: "auto" | "times") => {
    const readScreens = vi.fn(async ({ times }: { times: readonly number[] }) => times.map(() => "live"));
    const text = '{"at":"00:05","caption":"SCORE 3-1"}';
    const fresh = { text, written: "", model: "m", tokens: undefined, attemptMs: 1_000, isLast: true };
    await open({ deps: { ...deps, readScreens }, job: { secondLook } })?.(notHere).review(fresh);
    return readScreens.mock.calls.flatMap(([{ times }]) => times).length;
  };
  const [auto, times] = [await framesOf("auto"), await framesOf("times")];
  expect(auto).toBeGreaterThan(0);
  expect(auto).toBeLessThanOrEqual(4);
  expect(times).toBeGreaterThan(auto);
});

/** Gathers the evidence of an answer. The model names a quote that is said. */
async function prove({
  data = { a: "x" },
  leftMs = 400_000,
  findings,
  given,
}: { data?: object; leftMs?: number; given?: Given } & Pick<CheckedAnswer, "findings"> = {}) {
  const asked: number[] = [];
  const ask: Ask = async (_question, run) => {
    asked.push(Number(run?.deadline));
    const spans = [{ from: "00:10", to: "00:12", modality: "speech", quote: "hello there" }];
    const fields = Object.keys(data).map((_key, index) => ({ id: index + 1, spans }));
    return { text: JSON.stringify({ fields }), model: "m" };
  };
  const deadline = steadyNow() + leftMs;
  const answer: CheckedAnswer = { text: JSON.stringify(data), model: "m", ...(findings && { findings }) };
  const proved = await open({
    deps: given?.deps ?? {},
    job: { evidence: { ms: 60_000, maxBytes: 65_536 }, ...given?.job },
    leftMs,
  })?.(ask).prove(answer);
  return { evidence: proved?.evidence, asked, deadline };
}

test("evidence has its own time, and leaves the job 15 seconds to store the answer", async () => {
  const startedAt = steadyNow();
  const long = await prove();
  expect(Math.round(((long.asked[0] ?? 0) - startedAt) / 10_000)).toBe(6);
  const late = await prove({ leftMs: 30_000 });
  expect(late.asked[0]).toBeLessThan(late.deadline - 14_000);
  const over = await prove({ leftMs: 16_000 });
  expect([over.asked, over.evidence?.status]).toEqual([[], "unavailable"]);
});

test("a clock of this machine that jumps by three hours in the middle of a job costs no evidence", async () => {
  const wrong = Date.now() + 3 * 3_600_000;
  const clock = vi.spyOn(Date, "now").mockReturnValue(wrong);
  onTestFinished(() => clock.mockRestore());
  const { evidence, asked } = await prove();
  expect([evidence?.status, asked.length]).toEqual(["complete", 1]);
});

test("in a video without sound nothing is said, and the model is not asked", async () => {
  const { evidence, asked } = await prove();
  expect(evidence?.fields["/a"]?.spans).toMatchObject([{ quote: "hello there", quote_found: false }]);
  expect(asked).toHaveLength(1);
});

test("a model that hears nothing is not asked what is said, and the quote stays unchecked", async () => {
  const cutClip = vi.fn(() => Promise.reject(new Error("nothing is cut")));
  const heardBy = (hearsSound: boolean) => prove({ given: { deps: { hearsSound, cutClip }, job: { hasSound: true } } });
  const { evidence } = await heardBy(false);
  expect(evidence?.fields["/a"]?.spans).toMatchObject([{ quote: "hello there", quote_found: null }]);
  expect(cutClip).not.toHaveBeenCalled();
  await heardBy(true);
  expect(cutClip).toHaveBeenCalled();
});

test("without a second look, words that are said at a time confirm it in the evidence, without a further question", async () => {
  const words = "we close the shop now".split(" ").map((text, index) => ({
    ...{ text, startMs: 5_200 + index * 300 },
    endMs: 5_500 + index * 300,
  }));
  const job = { hasSound: true, words: async () => words };
  const data = { at: "00:05", said: "We close the shop now." };
  const { evidence, asked } = await prove({ data, given: { deps, job } });
  expect([evidence?.fields["/at"]?.verdict, asked.length]).toEqual(["confirmed", 1]);
});

test("the evidence reuses the findings of the second look as corrected times", async () => {
  const spans = [{ startMs: 10_000, endMs: 11_000 }];
  const finding = { verdict: "moved", spans, checked: { fromMs: 0, toMs: 20_000 }, nearestCutMs: null } as const;
  const { evidence } = await prove({ data: { at: "00:10" }, findings: new Map([["/at", finding]]) });
  // If a moved time is not corrected, it is likely wrong.
  expect(evidence?.fields["/at"]).toMatchObject({ verdict: "moved", checked: { from_ms: 0, to_ms: 20_000 } });
  expect(evidence?.fields["/at"]?.confidence).toBeGreaterThan(0.5);
});

/** Completes an answer with an item that a second look contradicts for a number of rounds. */
async function look(rounds: number, wrong: TimeFinding["verdict"] = "contradicted") {
  const rejected: (readonly string[])[] = [];
  const looked: string[] = [];
  const added = { pointer: "/cuts/1", list: "/cuts", text: "{}" };
  const completions = {
    complete: async () => ({ text: `completed ${rejected.length}`, added: [added] }),
    reject: (items: readonly AddedItem[]) => void rejected.push(items.map(({ pointer }) => pointer)),
  };
  const secondLooks = {
    take: async ({ text }: { text: string }) => {
      looked.push(text);
      const isWrong = text !== "first" && rejected.length < rounds;
      const finding = { verdict: isWrong ? wrong : "confirmed", spans: [], checked: null, nearestCutMs: null };
      const findings = new Map([["/cuts/1/at", finding as TimeFinding]]);
      return { text, findings, violations: [], violationsForCaller: [] };
    },
    reserveAttempt: () => undefined,
  };
  const { text } = await lookAtCompleted({ completions, secondLooks }, { text: "first", tokens: undefined });
  return { text, rejected, looked };
}

const notSeen = ["contradicted", "unconfirmed", "not_checked"] as const;

test.each(notSeen)(
  "an added item that is %s in the second look is left out, and the rest is looked at again",
  async (verdict) => {
    expect(await look(0)).toEqual({ text: "completed 0", rejected: [], looked: ["completed 0"] });
    const { text, rejected } = await look(1, verdict);
    expect([text, rejected]).toEqual(["completed 1", [["/cuts/1"]]]);
  },
);

test("when three rounds are not enough, the first answer is kept, with its own second look", async () => {
  const { text, looked } = await look(9);
  expect([text, looked]).toEqual(["first", ["completed 0", "completed 1", "completed 2", "first"]]);
});
