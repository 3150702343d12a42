import type { TimeClaim } from "@video-to-json/schema";
import { expect, test } from "vitest";
import { openBudget } from "./budget.ts";
import { openShiftMemory } from "./calibrate.ts";
import { checkTimes } from "./check-times.ts";
import { openSightingMemory } from "./look-at-claims.ts";

/** Checks ten times, a minute apart. A witness hears all but the first `doubtful` ones where they are claimed; no clip shows any. */
async function check(doubtful: number) {
  let asked = 0;
  const claims = Array.from({ length: 10 }, (_, index): TimeClaim => {
    const fromMs = 60_000 * index + 20_000;
    const form = { kind: "clock", groups: 2, firstDigits: 2, decimals: 0, point: "." } as const;
    const at = { pointer: `/by/${index}/at`, pointerForCaller: "/by/*/at", edge: "start", otherEdge: null } as const;
    return { ...at, fromMs, toMs: fromMs + 1000, form, what: `what ${index}` };
  });
  const tokens = { total: 1, audio: null, dollars: 1, rates: null };
  const findings = await checkTimes(
    {
      async ask() {
        asked++;
        return {
          text: '{"question_1":{"seen":"not_here","times":[]}}',
          model: "m",
          tokens: { ...tokens, dollars: 0.001 },
        };
      },
      cutClip: async () => ({ bytes: Buffer.alloc(1), mimeType: "video/mp4", edges: { cutsMs: [], silences: [] } }),
      log: { info() {}, warn() {} },
    },
    claims,
    {
      ...{ jobId: "j", durationMs: 600_000, budget: openBudget(tokens, 600_000), keptDollars: 0 },
      ...{ memory: openSightingMemory(), farMemory: openSightingMemory() },
      shifts: openShiftMemory()({ accountId: "a", schemaText: "{}" }),
      ...{ signal: new AbortController().signal, deadline: new Date(Date.now() + 60_000) },
      witness: {
        heard: ({ fromMs }) => (fromMs < 60_000 * doubtful ? undefined : fromMs + 500),
        isEdgeAt: async () => false,
        findEdge: async () => undefined,
      },
    },
  );
  return { asked, verdicts: [...findings.values()].map(({ verdict }) => verdict) };
}

test("times that are heard where they are claimed are confirmed without a look", async () => {
  expect(await check(0)).toEqual({ asked: 0, verdicts: Array(10).fill("confirmed") });
});

test("beside a time in doubt, four times that are heard are looked at too, to see how the model errs", async () => {
  const { asked, verdicts } = await check(1);
  expect(verdicts.slice(1)).toEqual(Array(9).fill("confirmed"));
  expect(verdicts[0]).not.toBe("confirmed");
  expect(asked).toBeGreaterThanOrEqual(5);
  expect(asked).toBeLessThan(10);
});
