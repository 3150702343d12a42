import type { Evidence } from "@video-to-json/contract/shapes/evidence";
import type { ExtractResponse } from "@video-to-json/contract/shapes/extract";
import type { JobRecord } from "@video-to-json/contract/shapes/jobs";

/** The schema of the sample extraction, as a sketch. */
export const sketch = { match: "string", goals: [{ at: "timestamp", team: "home|away", "player?": "string" }] };

/** The schema of the sample extraction, as a JSON Schema. */
export const jsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    match: { type: "string" },
    goals: {
      type: "array",
      items: {
        type: "object",
        properties: {
          at: { type: "string", pattern: "^[0-5][0-9]:[0-5][0-9]$", description: "When the ball is over the line." },
          team: { enum: ["home", "away"] },
          player: { type: "string" },
        },
        required: ["at", "team"],
        additionalProperties: false,
      },
    },
  },
  required: ["match", "goals"],
  additionalProperties: false,
};

/** The caller's name for the sample extraction. */
export const idempotencyKey = "match-1874-goals";

/** The video of the sample extraction. */
export const videoUrl = "https://media.example.com/clips/final.mp4";

/** The instructions of the sample extraction. */
export const instructions = "A football match. Count only goals that stand.";

/** The answer of the sample extraction, to either schema. */
export const extraction = {
  id: "5f0c2b1e-8a43-4c55-9d61-2f9a1f2f7a10",
  data: {
    match: "Rovers against United",
    goals: [
      { at: "00:41", team: "home", player: "Okafor" },
      { at: "03:08", team: "away" },
    ],
  },
  video: { duration_seconds: 247.36 },
  billed_seconds: 247,
} satisfies ExtractResponse;

/** The record of the sample extraction after it has succeeded. */
export const succeededJob: JobRecord = {
  ...extraction,
  status: "succeeded",
  created_at: "2026-11-21T10:00:00.000Z",
  started_at: "2026-11-21T10:00:00.412Z",
  finished_at: "2026-11-21T10:00:27.903Z",
  schema: sketch,
  instructions,
  clip: null,
  detail: "standard",
  model: "gemini-3.8-flash-lite",
  error: null,
};

const okafor = { modality: "speech", quote: "and it is Okafor", quote_found: false, read: "and it is a goal" } as const;
const uncheckedTime = { checked: null, nearest_cut_ms: null };

/** The evidence of the sample extraction. */
export const evidence: Evidence = {
  job_id: extraction.id,
  status: "complete",
  duration_ms: 247_360,
  fields: {
    "/goals/0/at": {
      verdict: "confirmed",
      confidence: 0.98,
      spans: [{ start_ms: 41_000, end_ms: 44_000, modality: "visual", quote: null, quote_found: null, read: null }],
      checked: { from_ms: 31_000, to_ms: 51_000 },
      nearest_cut_ms: 46_280,
    },
    "/goals/0/team": {
      ...uncheckedTime,
      verdict: "confirmed",
      confidence: 0.9,
      spans: [{ start_ms: 41_000, end_ms: 52_000, modality: "visual", quote: null, quote_found: null, read: null }],
    },
    "/goals/0/player": {
      ...uncheckedTime,
      verdict: "unconfirmed",
      confidence: 0.25,
      spans: [{ ...okafor, start_ms: 45_000, end_ms: 48_000 }],
    },
    "/goals/1/at": {
      verdict: "confirmed",
      confidence: 0.98,
      spans: [{ start_ms: 188_000, end_ms: 191_000, modality: "visual", quote: null, quote_found: null, read: null }],
      checked: { from_ms: 178_000, to_ms: 198_000 },
      nearest_cut_ms: null,
    },
    "/goals/1/team": {
      ...uncheckedTime,
      verdict: "not_checked",
      confidence: null,
      spans: [{ start_ms: 188_000, end_ms: 191_000, modality: "visual", quote: null, quote_found: null, read: null }],
    },
  },
  whole_video: ["/match"],
  absent: ["/goals/1/player"],
};
