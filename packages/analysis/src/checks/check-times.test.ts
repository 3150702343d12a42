import type { TimeClaim } from "@video-to-json/schema";
import { expect, test } from "vitest";
import type { CutOutClip } from "./ask-clips.ts";
import { openBudget } from "./budget.ts";
import { openShiftMemory } from "./calibrate.ts";
import { checkTimes } from "./check-times.ts";
import { openSightingMemory } from "./look-at-claims.ts";
import type { Witness } from "./witness.ts";

const form = { kind: "clock", groups: 2, firstDigits: 2, decimals: 0, point: "." } as const;

function claimAt(index: number, fromMs: number): TimeClaim {
  const at = { pointer: `/by/${index}/at`, pointerForCaller: "/by/*/at", edge: "start", otherEdge: null } as const;
  return { ...at, fromMs, toMs: fromMs + 1000, form, what: `what ${index}` };
}

const noEdges: CutOutClip["edges"] = { cutsMs: [], silences: [] };

/** Checks claims with a model that gives the same answer about each clip, or another one about clips that begin before 00:20 or from 01:00 to 01:19. */
async function checkClaims(
  claims: readonly TimeClaim[],
  seen: object,
  witness?: Witness,
  { edges = noEdges, early = seen } = {},
) {
  let asked = 0;
  const tokens = { total: 1, audio: null, dollars: 1, rates: null };
  const findings = await checkTimes(
    {
      async ask({ prompt }: { prompt: string }) {
        asked++;
        const isEarly = /the part from 0[01]:[01]/.test(prompt);
        return {
          text: JSON.stringify({ question_1: isEarly ? early : seen }),
          model: "m",
          tokens: { ...tokens, dollars: 0.001 },
        };
      },
      cutClip: async () => ({ bytes: Buffer.alloc(1), mimeType: "video/mp4", edges }),
      log: { info() {}, warn() {} },
    },
    claims,
    {
      ...{ jobId: "j", durationMs: 600_000, budget: openBudget(tokens, 600_000), keptDollars: 0 },
      ...{ memory: openSightingMemory(), farMemory: openSightingMemory() },
      shifts: openShiftMemory()({ accountId: "a", schemaText: "{}" }),
      ...{ signal: new AbortController().signal, deadline: new Date(Date.now() + 60_000) },
      ...(witness && { witness }),
    },
  );
  return { asked, findings, verdicts: [...findings.values()].map(({ verdict }) => verdict) };
}

/** Checks ten times, a minute apart. A witness hears all but the first `doubtful` ones where they are claimed; no clip shows any. */
function check(doubtful: number) {
  const claims = Array.from({ length: 10 }, (_, index) => claimAt(index, 60_000 * index + 20_000));
  const heard = ({ fromMs }: TimeClaim) => (fromMs < 60_000 * doubtful ? undefined : fromMs + 500);
  const witness = { heard, isEdgeAt: async () => false, findEdge: async () => undefined };
  return checkClaims(claims, { seen: "not_here", times: [] }, witness);
}

test.each([
  ["at the end of what the clip shows", 108_000, "confirmed", "moved"],
  ["at its start", 100_000, "confirmed", "confirmed"],
  ["near neither", 104_000, "unconfirmed", "moved"],
])("a time that may be an end, %s, is neither moved nor contradicted", async (_, fromMs, mayBeEnd, isStart) => {
  const seen = { seen: "here", times: [{ from: "01:40.0", to: "01:48.0" }] };
  const claim = claimAt(0, fromMs);
  const witness = { heard: () => 100_000, isEdgeAt: async () => false, findEdge: async () => undefined };
  for (const one of [undefined, witness])
    expect((await checkClaims([{ ...claim, mayBeEnd: true }], seen, one)).verdicts).toEqual([mayBeEnd]);
  expect((await checkClaims([claim], seen)).verdicts).toEqual([isStart]);
});

test("a time that may be an end is not contradicted by a clip that does not show it", async () => {
  const claim = { ...claimAt(0, 100_000), mayBeEnd: true };
  expect((await checkClaims([claim], { seen: "not_here", times: [] })).verdicts).toEqual(["unconfirmed"]);
});

test("times that are heard where they are claimed are confirmed without a look", async () => {
  expect(await check(0)).toMatchObject({ asked: 0, verdicts: Array(10).fill("confirmed") });
});

test("beside a time in doubt, four times that are heard are looked at too, to see how the model errs", async () => {
  const { asked, verdicts } = await check(1);
  expect(verdicts.slice(1)).toEqual(Array(9).fill("confirmed"));
  expect(verdicts[0]).not.toBe("confirmed");
  expect(asked).toBeGreaterThanOrEqual(5);
  expect(asked).toBeLessThan(10);
});

test.each([
  ["", "01:41.0", "01:48.0", "moved"],
  [", unless the event may begin before its clip", "01:36.2", "01:48.0", "contradicted"],
])("a start is where the clip of its seen end shows the whole event%s", async (_, from, to, start) => {
  const [first, second] = [claimAt(0, 10_000), claimAt(0, 107_000)];
  const claims: TimeClaim[] = [
    { ...first, pointer: "/from", otherEdge: "/to" },
    { ...second, pointer: "/to", edge: "end", otherEdge: "/from" },
  ];
  const early = { seen: "not_here", times: [] };
  const { verdicts } = await checkClaims(claims, { seen: "here", times: [{ from, to }] }, undefined, { early });
  expect(verdicts).toEqual([start, "confirmed"]);
});

test("a checked time comes with the nearest cut or edge of a silence", async () => {
  const edges = { cutsMs: [95_000, 104_000], silences: [{ fromMs: 97_500, toMs: 120_000 }] };
  const seen = { seen: "here", times: [{ from: "01:40.0", to: "01:48.0" }] };
  const { findings } = await checkClaims([claimAt(0, 100_000)], seen, undefined, { edges });
  expect(findings.get("/by/0/at")).toMatchObject({ verdict: "confirmed", nearestCutMs: 97_500 });
});
