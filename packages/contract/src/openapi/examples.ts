import type { Account } from "../shapes/account.ts";
import type { ExtractResponse } from "../shapes/extract.ts";
import type { JobRecord } from "../shapes/job-record.ts";
import { errorExample } from "./failures.ts";

const sketch = { match: "string", goals: [{ at: "timestamp", team: "home|away", "player?": "string" }] };
const jsonSchema = {
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
const video_url = "https://media.example.com/clips/final.mp4";
const instructions = "A football match. Count only goals that stand.";

const data = {
  match: "Rovers against United",
  goals: [
    { at: "00:41", team: "home", player: "Okafor" },
    { at: "03:08", team: "away" },
  ],
};
const video = { duration_seconds: 247.36 };
const id = "5f0c2b1e-8a43-4c55-9d61-2f9a1f2f7a10";
const succeeded: JobRecord = {
  id,
  status: "succeeded",
  created_at: "2026-11-21T10:00:00.000Z",
  started_at: "2026-11-21T10:00:00.412Z",
  finished_at: "2026-11-21T10:00:27.903Z",
  schema: sketch,
  instructions,
  data,
  video,
  billed_seconds: 247,
  model: "gemini-3.8-flash-lite",
  error: null,
};
const nothing = { data: null, billed_seconds: 0, model: null };

/** A request or a response as it may look, by name. */
export type Examples = Record<string, { summary: string; value: unknown }>;

/** Bodies of `POST /v1/extract`; a file stands as its name. */
export const multipartRequests: Examples = {
  uploadWithSketch: {
    summary: "A file and a sketch",
    value: { schema: JSON.stringify(sketch), instructions, video: "final.mp4" },
  },
  uploadWithJsonSchema: {
    summary: "A file and a JSON Schema",
    value: { schema: JSON.stringify(jsonSchema), video: "final.mp4" },
  },
  urlWithSketch: { summary: "A URL and a sketch", value: { schema: JSON.stringify(sketch), video_url } },
};

/** JSON bodies of `POST /v1/extract`. */
export const jsonRequests: Examples = {
  sketch: { summary: "A URL and a sketch", value: { video_url, schema: sketch, instructions } },
  jsonSchema: { summary: "A URL and a JSON Schema", value: { video_url, schema: jsonSchema } },
};

/** Answers of `POST /v1/extract` to any of the requests. */
export const extractResponses: Examples = {
  goals: {
    summary: "The goals of a match",
    value: { id, data, video, billed_seconds: 247 } satisfies ExtractResponse,
  },
};

/** Answers of `GET /v1/jobs/{id}`, one a state. */
export const jobRecords: Examples = {
  succeeded: { summary: "It succeeded, and was charged", value: succeeded },
  failed: {
    summary: "It failed, for nothing",
    value: {
      ...succeeded,
      ...nothing,
      status: "failed",
      error: errorExample("extraction_failed"),
    } satisfies JobRecord,
  },
  running: {
    summary: "It is under way",
    value: { ...succeeded, ...nothing, status: "running", finished_at: null } satisfies JobRecord,
  },
  queued: {
    summary: "It waits for its turn",
    value: {
      ...succeeded,
      ...nothing,
      status: "queued",
      started_at: null,
      finished_at: null,
      video: null,
    } satisfies JobRecord,
  },
};

/** Answers of `GET /v1/me`. */
export const accounts: Examples = {
  account: {
    summary: "A little over 25 minutes are left",
    value: { email: "caller@example.com", minutes_remaining: 25.55, seconds_remaining: 1533 } satisfies Account,
  },
};

/** Answers of `GET /v1/openapi.json`, cut short. */
export const descriptions: Examples = {
  description: {
    summary: "The beginning of this document",
    value: { openapi: "3.1.0", info: { title: "Video-to-JSON", version: "1.0.0" }, paths: {} },
  },
};

/** Messages to `POST /v1/mcp`. */
export const mcpRequests: Examples = {
  listTools: { summary: "What tools there are", value: { jsonrpc: "2.0", id: 1, method: "tools/list" } },
  extract: {
    summary: "An extraction",
    value: {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "extract", arguments: { video_url, schema: sketch, instructions } },
    },
  },
  recentExtractions: {
    summary: "The answers that were lost",
    value: {
      jsonrpc: "2.0",
      id: 3,
      method: "tools/call",
      params: { name: "recent_extractions", arguments: { limit: 1 } },
    },
  },
};

const extraction = { id, data, video, billed_seconds: 247 };
const refused = { error: errorExample("video_missing") };

/** Answers of `POST /v1/mcp`. */
export const mcpResponses: Examples = {
  extract: {
    summary: "Data that conforms",
    value: {
      jsonrpc: "2.0",
      id: 2,
      result: { content: [{ type: "text", text: JSON.stringify(extraction) }], structuredContent: extraction },
    },
  },
  failure: {
    summary: "A tool that failed, with the code that the REST endpoint gives",
    value: {
      jsonrpc: "2.0",
      id: 2,
      result: {
        isError: true,
        content: [{ type: "text", text: JSON.stringify(refused) }],
        _meta: { "video-to-json/error": { code: "video_missing", retryable: false } },
      },
    },
  },
};
