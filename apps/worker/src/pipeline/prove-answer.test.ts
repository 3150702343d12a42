import type { Ask, ConformingAnswer } from "@video-to-json/analysis";
import type { ClaimedJob } from "@video-to-json/database";
import type { Confinement, MeasuredVideo } from "@video-to-json/media";
import { openFairPlaces } from "@video-to-json/runtime/timing";
import type { CompiledSchema } from "@video-to-json/schema";
import { expect, test } from "vitest";
import { proveAnswer } from "./prove-answer.ts";

type Given = { data?: object; leftMs?: number; evidenceSeconds?: number; findings?: ConformingAnswer["findings"] };

/** Gathers the evidence of an answer about a silent video of a minute. The model names a quote that is said. */
async function prove({ data = { a: "x" }, leftMs = 400_000, evidenceSeconds = 60, findings }: Given = {}) {
  const asked: number[] = [];
  const ask: Ask = async (_question, run) => {
    asked.push(Number(run?.deadline));
    const spans = [{ from: "00:10", to: "00:12", modality: "speech", quote: "hello there" }];
    const fields = Object.keys(data).map((key) => ({ pointer: `/${key}`, where: "moments", spans }));
    return { text: JSON.stringify({ fields }), model: "m" };
  };
  const deadlineAt = new Date(Date.now() + leftMs);
  const evidence = await proveAnswer(
    {
      confinement: {} as Confinement,
      processor: openFairPlaces(1),
      limits: { evidenceSeconds },
      log: { info() {}, warn() {} },
    },
    { id: "j", accountId: "a", instructions: null, deadlineAt } as ClaimedJob,
    {
      ...{ path: "/nowhere", video: { durationMs: 60_000, audioCodec: null } as MeasuredVideo, part: null },
      ...{ scratch: "/nowhere", schema: { fullText: "{}" } as CompiledSchema },
      answer: { text: JSON.stringify(data), model: "m", ...(findings && { findings }) },
      ...{ ask, sandbox: { findTimes: async () => [] }, signal: new AbortController().signal },
      cutClip: () => Promise.reject(new Error("nothing is cut")),
    },
  );
  return { evidence, asked, deadlineAt: deadlineAt.getTime() };
}

test("evidence has its own time, and leaves the job 15 seconds to store the answer", async () => {
  const startedAt = Date.now();
  const long = await prove({ evidenceSeconds: 60 });
  expect(Math.round(((long.asked[0] ?? 0) - startedAt) / 10_000)).toBe(6);
  const late = await prove({ leftMs: 30_000 });
  expect(late.asked[0]).toBeLessThan(late.deadlineAt - 14_000);
  const over = await prove({ leftMs: 16_000 });
  expect([over.asked, over.evidence.status]).toEqual([[], "unavailable"]);
});

test("in a video without sound nothing is said, and the model is not asked", async () => {
  const { evidence, asked } = await prove();
  expect(evidence.fields["/a"]?.spans).toMatchObject([{ quote: "hello there", quote_found: false }]);
  expect(asked).toHaveLength(1);
});

test("the evidence reuses the findings of the second look as corrected times", async () => {
  const spans = [{ startMs: 10_000, endMs: 11_000 }];
  const finding = { verdict: "moved", spans, checked: { fromMs: 0, toMs: 20_000 }, nearestCutMs: null } as const;
  const { evidence } = await prove({ data: { at: "00:10" }, findings: new Map([["/at", finding]]) });
  // If a moved time is not corrected, it is likely wrong.
  expect(evidence.fields["/at"]).toMatchObject({ verdict: "moved", checked: { from_ms: 0, to_ms: 20_000 } });
  expect(evidence.fields["/at"]?.confidence).toBeGreaterThan(0.5);
});
