import type { Case, VideoPlan } from "../cases/case.ts";
import { findTruth } from "../cases/make-case.ts";
import { type Spec, writeJsonSchema, writeSketch } from "../cases/spec.ts";

const spec: Spec = {
  values: [{ key: "place", type: "string", about: "where it is" }],
  moments: [{ key: "first_sign_at", label: "sign", nth: "first", edge: "start", about: "when the first sign appears" }],
  lists: [
    {
      ...{ key: "signs", label: "sign", startKey: "start", endKey: "end", about: "when it appears" },
      fields: [
        { key: "text", type: "string", about: "word for word" },
        { key: "language", type: "string", about: "if it is certain", optional: true },
      ],
    },
    { key: "alarms", label: "alarm", startKey: "start", endKey: "end", about: "when it beeps", fields: [] },
    { key: "fires", label: "fire", startKey: "start", endKey: "end", about: "when it burns", fields: [] },
  ],
};

/** Returns a case with a video of twelve seconds. */
export function tinyCase(seed: number, isSketch = seed % 2 === 0): Case {
  const sign = (text: string, startMs: number, endMs: number) => ({
    ...{ label: "sign", startMs, endMs, via: "text" as const, attributes: { text } },
    shows: [{ kind: "text" as const, text, size: 24, place: "top" as const }],
  });
  const plan: VideoPlan = {
    ...{ durationMs: 12_000, background: "navy", facts: { place: `Hall ${seed}` } },
    events: [
      sign("Gate 4", 1300, 3000),
      sign("Exit", 4000, 4500),
      sign("Gate 4", 7000, 11_500),
      {
        ...{ label: "alarm", startMs: 5000, endMs: 6500, via: "sound", attributes: {} },
        shows: [{ kind: "beep", hertz: 880 }],
      },
    ],
  };
  const schema = isSketch ? writeSketch(spec) : writeJsonSchema(spec);
  const name = { id: `${seed}-tiny`, seed, style: "tiny", needsSpeech: false };
  return { ...name, plan, schema, isSketch, truth: findTruth(spec, plan) };
}
