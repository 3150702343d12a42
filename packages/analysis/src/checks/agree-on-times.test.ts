import { steadyNow } from "@video-to-json/runtime/timing";
import type { TimeClaim } from "@video-to-json/schema";
import { expect, test } from "vitest";
import type { Ask } from "../analysis-provider.ts";
import { agreeOnTimes } from "./agree-on-times.ts";
import { openBudget } from "./budget.ts";
import { type ClipWindow, clipTime } from "./clip-question.ts";
import type { TimeFinding } from "./judge-times.ts";
import { openSightingMemory } from "./look-at-claims.ts";

const durationMs = 600_000;
const startClaim: TimeClaim = {
  ...{ pointer: "/at", pointerForCaller: "/at", fromMs: 300_000, toMs: 301_000, edge: "start", otherEdge: null },
  ...{ form: { kind: "clock", groups: 2, firstDigits: 2, decimals: 0, point: "." }, what: "a goal" },
};
const endClaim: TimeClaim = { ...startClaim, fromMs: 590_000, toMs: 591_000, edge: "end" };

const notHere = { seen: "not_here", times: [] };
const unclear = { seen: "cannot_tell", times: [] };
const here = (fromMs: number, toMs = fromMs) => ({
  seen: "here",
  times: [{ from: clipTime(fromMs), to: clipTime(toMs) }],
});

type Given = {
  claim?: TimeClaim;
  /** What the first look found. */
  first: Pick<TimeFinding, "verdict"> & { atMs?: number };
  /** The answers about the further clips. */
  clip?: (window: ClipWindow, nth: number) => object;
  /** Where the words of the time are heard; where the screen shows an edge; and where a search of the screen finds it. */
  witness?: { heardMs?: number; edgesMs?: number[]; foundMs?: number };
  /** Whether only the first look contradicts the time. */
  once?: boolean;
  leastMoveMs?: number;
};

/** Returns the verdict, the time of a moved one in milliseconds, and the number of further clips. */
async function agree({ claim = startClaim, first, clip = () => notHere, witness, once, leastMoveMs = 2_000 }: Given) {
  const windows = new Map<unknown, ClipWindow>();
  let clips = 0;
  const ask: Ask = async ({ clip: sent, model }) => {
    const window = windows.get(sent?.bytes);
    return { text: JSON.stringify({ question_1: window && clip(window, ++clips) }), model };
  };
  const checked = { fromMs: claim.fromMs - 12_000, toMs: Math.min(durationMs, claim.toMs + 12_000) };
  const spans = first.atMs === undefined ? [] : [{ startMs: first.atMs, endMs: first.atMs }];
  const finding: TimeFinding = { verdict: first.verdict, spans, checked, nearestCutMs: null };
  const { heardMs, edgesMs = [], foundMs } = witness ?? {};
  const findings = await agreeOnTimes(
    {
      ask,
      cutClip: async (window) => {
        const bytes = Buffer.alloc(1);
        windows.set(bytes, window);
        return { bytes, mimeType: "video/mp4", edges: { cutsMs: [], silences: [] } };
      },
      log: { info() {}, warn() {} },
    },
    { claims: [claim], findings: new Map([["/at", finding]]) },
    {
      ...{ jobId: "j", durationMs, keptDollars: 0, shiftMs: 0, leastMoveMs },
      ...{ signal: new AbortController().signal, deadline: new Date(steadyNow() + 400_000) },
      ...{ budget: openBudget(undefined, durationMs), shifts: { earlier: [], add() {} } },
      ...{ memory: openSightingMemory(), farMemory: openSightingMemory(), once: new Set(once ? ["/at"] : []) },
      ...(witness && {
        witness: {
          heard: () => heardMs,
          isEdgeAt: async (_claim, ms) => edgesMs.includes(ms),
          findEdge: async () => foundMs,
        },
      }),
    },
  );
  const { verdict, spans: seen } = findings.get("/at") ?? {};
  const edgeMs = claim.edge === "start" ? seen?.[0]?.startMs : seen?.[0]?.endMs;
  return { verdict, ...(verdict === "moved" && { edgeMs }), clips };
}

const moved = { verdict: "moved", atMs: 306_000 } as const;
const contradicted = { verdict: "contradicted" } as const;

test.each<[string, Given, object]>([
  ["words that are heard at the claimed time confirm it", { first: moved, witness: { heardMs: 301_500 } }, confirmed()],
  [
    "a look and words a second apart move the time to the words",
    { first: moved, witness: { heardMs: 306_900 } },
    movedTo(306_900),
  ],
  [
    "the end of words moves the end of an event",
    { claim: endClaim, first: { verdict: "moved", atMs: 597_000 }, witness: { heardMs: 596_500 } },
    movedTo(596_500),
  ],
  [
    "words two seconds from the claimed time do not move it, even if a look is near those words",
    { first: { verdict: "moved", atMs: 303_400 }, witness: { heardMs: 303_000 } },
    unconfirmedAfter(5),
  ],
  [
    "an edge that a search finds far from the look does not move the time",
    { first: moved, witness: { foundMs: 312_000 } },
    unconfirmedAfter(5),
  ],
  [
    "a look and words more than a second apart do not move the time",
    { first: moved, witness: { heardMs: 312_000 } },
    unconfirmedAfter(5),
  ],
  [
    "words far from the claimed time and one clip that shows the event at the words move the time to the words",
    { first: contradicted, witness: { heardMs: 310_000 }, clip: () => here(310_800) },
    movedTo(310_000, 1),
  ],
  [
    "an edge on the screen at the claimed time confirms it",
    { first: moved, witness: { edgesMs: [300_500] } },
    confirmed(),
  ],
  [
    "an edge on the screen where the look saw the event moves the time to that edge",
    { first: moved, witness: { edgesMs: [306_000] } },
    movedTo(306_000),
  ],
  [
    "an edge that a search finds within a second of the claimed time confirms it",
    { first: moved, witness: { foundMs: 301_900 } },
    confirmed(),
  ],
  [
    "an edge that a search finds near the look moves the time to that edge",
    { first: moved, witness: { foundMs: 305_200 } },
    movedTo(305_200),
  ],
  [
    "an edge two seconds from the claimed time does not move it, even if a look is near that edge",
    { first: { verdict: "moved", atMs: 303_400 }, witness: { foundMs: 303_000 } },
    unconfirmedAfter(5),
  ],
  [
    "an edge far from the claimed time and one clip that shows the event at that edge move the time to the edge",
    { first: contradicted, witness: { foundMs: 310_000 }, clip: () => here(309_400) },
    movedTo(310_000, 1),
  ],
])("with a witness, %s", async (_, given, expected) => {
  expect(await agree(given)).toEqual(expected);
});

test("a witness that hears and sees nothing changes no verdict and costs no clip", async () => {
  expect(await agree({ first: contradicted, witness: {} })).toEqual({ verdict: "contradicted", clips: 0 });
});

test.each([
  ["does not see the event either: the time is contradicted", notHere, "contradicted"],
  ["is unclear: the time is unconfirmed", unclear, "unconfirmed"],
  ["sees the event at the claimed time: the time is unconfirmed", here(300_000), "unconfirmed"],
])("a time that one look contradicts gets one further look, which %s", async (_, reply, verdict) => {
  expect(await agree({ first: contradicted, once: true, clip: () => reply })).toEqual({ verdict, clips: 1 });
});

const earlyClaim: TimeClaim = { ...startClaim, fromMs: 12_000, toMs: 13_000 };

test("near the start of a video, the second look begins later than the first one, so that the two can agree", async () => {
  const events = Array.from({ length: 10 }, (_, nth) => ({ ...earlyClaim, what: `goal ${nth}` }));
  const first = { verdict: "moved", atMs: 5_000 } as const;
  const found = await Promise.all(events.map((claim) => agree({ claim, first, clip: () => here(5_000) })));
  expect(found).toEqual(events.map(() => movedTo(5_000, 1)));
});

test("near the start of a video, no two looks begin at the same moment", async () => {
  const starts: number[] = [];
  const clip = ({ fromMs }: ClipWindow) => {
    starts.push(fromMs);
    return notHere;
  };
  const found = await agree({ claim: earlyClaim, first: { verdict: "moved", atMs: 5_000 }, clip });
  expect([found.verdict, starts]).toEqual(["unconfirmed", [...new Set(starts)]]);
});

test("a time at the very start of a video costs no look that could not agree with the first one", async () => {
  const found = await agree({ claim: earlyClaim, first: { verdict: "moved", atMs: 1_000 }, clip: () => here(1_000) });
  expect(found).toEqual(unconfirmedAfter(0));
});

test("a time does not move if the looks may be late by as much as one of the two that agree is away from it", async () => {
  const near = { first: { verdict: "moved", atMs: 304_600 }, clip: () => here(304_000), leastMoveMs: 3_500 } as const;
  expect(await agree(near)).toEqual({ verdict: "unconfirmed", clips: 1 });
});

test("an event that fills a whole clip shows no edge, not even at the end of the video", async () => {
  const fills = { claim: endClaim, clip: (window: ClipWindow) => here(window.fromMs, window.toMs) };
  const { verdict } = await agree({ ...fills, first: { verdict: "moved", atMs: 599_500 } });
  expect(verdict).toBe("unconfirmed");
});

function confirmed() {
  return { verdict: "confirmed", clips: 0 };
}
function movedTo(edgeMs: number, clips = 0) {
  return { verdict: "moved", edgeMs, clips };
}
function unconfirmedAfter(clips: number) {
  return { verdict: "unconfirmed", clips };
}
