import { isJsonObject } from "@video-to-json/contract";
import fc from "fast-check";
import {
  anyInstructions,
  anyJsonSchema,
  anySketch,
  anyText,
  latin,
  spoiling,
  textOf,
  usableSchema,
  videoUrl,
  writeRequest,
} from "./values.ts";

/** Generates messages to `/v1/mcp` of the protocol version 2026-07-28: with headers and `_meta`, without sessions. */
export function modernMessages(key: string): fc.Arbitrary<Buffer> {
  const introduced = fc
    .tuple(call, fc.oneof({ arbitrary: fc.constant(introduction), weight: 6 }, malformedMeta), progress)
    .map(([message, meta, token]) => ({
      ...message,
      params: isJsonObject(message.params) ? { ...message.params, _meta: { ...meta, ...token } } : message.params,
    }));
  return fc.tuple(introduced, spoiling, fc.array(change, { maxLength: 2 })).map(([message, spoil, changes]) => {
    const { method, params } = message;
    const headers = [
      ["MCP-Protocol-Version", "2026-07-28"],
      ["Mcp-Method", latin(method)],
      ...(isJsonObject(params) && typeof params.name === "string" ? [["Mcp-Name", latin(params.name)]] : []),
    ] as [string, string][];
    const kept = headers.filter(([name]) => !changes.some(([changed]) => changed === name));
    return post(key, [...kept, ...changes], spoil(JSON.stringify(message)));
  });
}

/** Generates messages to `/v1/mcp` of the earlier protocol versions, `initialize` and batches included. */
export function earlierMessages(key: string): fc.Arbitrary<Buffer> {
  const message = fc.oneof({ arbitrary: call, weight: 4 }, initialize, notification);
  const version = fc.constantFrom("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28", "x", "");
  const session = fc.option(fc.constantFrom("a", "x".repeat(300)));
  return fc
    .tuple(
      textOf(fc.oneof({ arbitrary: message, weight: 8 }, fc.array(message, { maxLength: 3 }), fc.jsonValue())),
      fc.option(version),
      session,
    )
    .map(([text, spoken, id]) => {
      const headers = [
        ...(spoken === null ? [] : [["MCP-Protocol-Version", spoken]]),
        ...(id === null ? [] : [["Mcp-Session-Id", id]]),
      ] as [string, string][];
      return post(key, headers, text);
    });
}

const method = fc.oneof(
  { arbitrary: fc.constant("tools/call"), weight: 5 },
  fc.constantFrom("tools/list", "ping", "server/discover", "notifications/cancelled", "subscriptions/listen"),
  fc.constantFrom("resources/read", "logging/setLevel", "completion/complete", "prompts/get", "tasks/get", "__proto__"),
  anyText,
);
const args = fc.record(
  {
    video_url: fc.oneof({ arbitrary: videoUrl, weight: 3 }, fc.jsonValue()),
    schema: fc.oneof(anySketch, anyJsonSchema),
    instructions: fc.oneof({ arbitrary: anyInstructions, weight: 3 }, fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const soundArgs = fc.record(
  { video_url: videoUrl, schema: usableSchema, instructions: anyInstructions },
  { requiredKeys: ["video_url", "schema"] },
);
const recent = fc.record(
  {
    id: fc.oneof(fc.uuid(), fc.jsonValue()),
    video_url: fc.oneof(videoUrl, fc.jsonValue()),
    limit: fc.oneof(fc.integer(), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const progress = fc.oneof(
  { arbitrary: fc.constant({}), weight: 3 },
  fc.oneof(fc.integer(), anyText, fc.jsonValue()).map((progressToken) => ({ progressToken })),
);
const toolCall = fc.oneof(
  fc.record({ name: fc.constant("extract"), arguments: soundArgs }),
  fc.record({ name: fc.constant("extract"), arguments: fc.oneof({ arbitrary: args, weight: 5 }, fc.jsonValue()) }),
  fc.record({ name: fc.constant("recent_extractions"), arguments: fc.oneof(recent, fc.jsonValue()) }),
  fc.record({ name: anyText, arguments: args }),
  fc.record({ name: fc.constant("extract"), _meta: progress }),
);
const id = fc.oneof(fc.integer(), anyText, fc.jsonValue());
const call = fc.record(
  {
    jsonrpc: fc.oneof({ arbitrary: fc.constant<unknown>("2.0"), weight: 8 }, fc.constantFrom<unknown>("1.0", 2, null)),
    id,
    method,
    params: fc.oneof<fc.Arbitrary<unknown>[]>(toolCall, toolCall, fc.jsonValue()),
  },
  { requiredKeys: ["jsonrpc", "method"] },
) as fc.Arbitrary<{ jsonrpc: unknown; id?: unknown; method: string; params?: unknown }>;
const initialize = fc.record({
  jsonrpc: fc.constant("2.0"),
  id,
  method: fc.constant("initialize"),
  params: fc.record(
    {
      protocolVersion: fc.oneof(fc.constantFrom("2025-11-25", "2024-11-05", "2026-07-28"), anyText, fc.jsonValue()),
      capabilities: fc.oneof(fc.constant({}), fc.jsonValue()),
      clientInfo: fc.oneof(fc.constant({ name: "fuzz", version: "1" }), fc.jsonValue()),
    },
    { requiredKeys: ["protocolVersion"] },
  ),
});
const notification = fc.record({
  jsonrpc: fc.constant("2.0"),
  method: fc.constantFrom("notifications/initialized", "notifications/cancelled", "notifications/progress"),
  params: fc.oneof(fc.record({ requestId: id, reason: anyText }), fc.jsonValue()),
});

const introduction: Record<string, unknown> = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const malformedMeta = fc.dictionary(fc.constantFrom(...Object.keys(introduction), "a", "__proto__"), fc.jsonValue());
const change = fc.tuple(
  fc.constantFrom("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Accept", "Last-Event-ID", "Origin"),
  fc.oneof(fc.constantFrom("2026-07-28", "2025-11-25", "tools/call", "extract", "*/*", "null"), anyText.map(latin)),
);

function post(key: string, headers: readonly [string, string][], text: string): Buffer {
  const always = [
    ["Authorization", `Bearer ${key}`],
    ["Content-Type", "application/json"],
    ...(headers.some(([name]) => name === "Accept") ? [] : [["Accept", "application/json, text/event-stream"]]),
  ] as [string, string][];
  return writeRequest({ method: "POST", path: "/v1/mcp", headers: [...always, ...headers] }, Buffer.from(text));
}
