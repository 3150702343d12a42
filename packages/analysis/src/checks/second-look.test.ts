import type { CompiledSchema, TimeClaim } from "@video-to-json/schema";
import { expect, test } from "vitest";
import type { Ask, TokenCount } from "../analysis-provider.ts";
import { openSecondLooks } from "./second-look.ts";

const form = { kind: "clock", groups: 2, firstDigits: 2, decimals: 0, point: "." } as const;
const notHere = '{"question_1":{"seen":"not_here","times":[]}}';
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
      sandbox: { findTimes: async () => found, check: async (_schema, text) => ({ ok: true, text }) },
      log: { info() {}, warn() {} },
    },
    {
      ...{ jobId: "j", schema: {} as CompiledSchema, instructions: null, signal },
      seen: { fromMs: 0, toMs: 600_000 },
      deadline: new Date(Date.now() + leftMs),
    },
  );
  return () => looks.take({ text: "{}", tokens });
}

const look = (given: Given) => open(given)();

const cost = (total: number): TokenCount => ({ total, video: 0, audio: 0 });
const untilAborted: Ask = (_question, run) =>
  new Promise((_, reject) => run?.signal.addEventListener("abort", () => reject(run.signal.reason)));
const unchecked = (findings: ReadonlyMap<string, { verdict: string }>) =>
  [...findings.values()].filter(({ verdict }) => verdict === "not_checked").length;

test("clips cost at most twice the tokens of the first pass; without tokens, times are not checked", async () => {
  let spent = 0;
  const ask: Ask = async () => {
    spent += 3000;
    return { text: notHere, model: "m", tokens: cost(3000) };
  };
  const { findings } = await look({ ask, tokens: cost(5000) });
  expect(spent).toBeGreaterThan(0);
  expect(spent).toBeLessThanOrEqual(10_000);
  expect(findings.size).toBe(10);
  expect(unchecked(findings)).toBe(10 - spent / 3000);
});

test("a clip that costs less than expected leaves tokens for the next attempt", async () => {
  let asked = 0;
  const ask: Ask = async () => ({ text: notHere, model: "m", tokens: cost(++asked && 100) });
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
    return { text: notHere, model: "m" };
  };
  const startedAt = Date.now();
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
}, 20_000);

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
  const ask: Ask = async () => ({ text: notHere, model: "m" });
  const { violations, violationsForCaller } = await look({ ask, claims: 1 });
  expect(violations[0]).toMatch(/^\/by\/secret0\/at: 00:20\.0 is wrong: the video does not show this/);
  expect(violationsForCaller).toEqual([expect.stringMatching(/^\/by\/\*\/at: a second look/)]);
});
