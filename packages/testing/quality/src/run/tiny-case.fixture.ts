import type { VideoPlan } from "../cases/case.ts";
import { askFor, type Case } from "../cases/make-case.ts";
import type { Spec } from "../cases/spec.ts";
import { renderVideo } from "../render/render-video.ts";

const times = { times: "start end", fields: {} };
const spec: Spec = {
  values: { place: "string — where it is" },
  moments: { first_sign_at: "first start of sign — when the first sign appears" },
  lists: {
    signs: {
      ...{ ...times, label: "sign", about: "when it appears" },
      fields: { text: "string — word for word", "language?": "string — if it is certain" },
    },
    alarms: { ...times, label: "alarm", about: "when it beeps" },
    fires: { ...times, label: "fire", about: "when it burns" },
  },
};

/** Returns a case with a video of twelve seconds. */
export function tinyCase(seed: number): Case {
  const sign = (text: string, startMs: number, endMs: number) => ({
    ...{ label: "sign", startMs, endMs, via: "text" as const, attributes: { text } },
    shows: [{ kind: "text" as const, text, size: 24, place: "top" as const }],
  });
  const alarm = { label: "alarm", startMs: 5000, endMs: 6500, via: "sound" as const, attributes: {} };
  const plan: VideoPlan = {
    ...{ durationMs: 12_000, background: "navy", facts: { place: `Hall ${seed}` } },
    events: [
      ...[sign("Gate 4", 1300, 3000), sign("Exit", 4000, 4500), sign("Gate 4", 7000, 11_500)],
      { ...alarm, shows: [{ kind: "beep", hertz: 880 }] },
    ],
  };
  const asked = askFor(spec, plan, seed % 2 === 0);
  return { id: `${seed}-tiny`, durationMs: plan.durationMs, video: () => renderVideo(plan), ...asked };
}
