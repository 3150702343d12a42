import { mcpRequests, mcpResponses } from "./examples.ts";
import { failures } from "./failures.ts";
import { headersOf } from "./headers.ts";
import { jsonOf } from "./named-schemas.ts";

const limited = ["RateLimit", "RateLimitPolicy"] as const;

/** `POST /v1/mcp` (specification, "POST /v1/mcp"). */
export const mcpOperation = {
  operationId: "callMcp",
  tags: ["Agents"],
  summary: "The Model Context Protocol",
  description:
    "Streamable HTTP transport without sessions: it speaks JSON-RPC, one message a request, with the same key, metering and guarantees as the other endpoints. `Accept` must name both `application/json` and `text/event-stream`. The tools are `extract` (`video_url`, `schema`, `instructions`) and `recent_extractions` (`id`, `limit`), which reads back an answer that was lost to a client's timeout. A tool that fails answers 200 with `isError`, the Error body as its text and the code in `_meta`.",
  requestBody: { required: true, content: jsonOf("McpRequest", mcpRequests) },
  responses: {
    200: {
      description: "A JSON-RPC answer, or a stream of server-sent events whose last one holds it.",
      headers: headersOf(...limited),
      content: {
        ...jsonOf("McpResponse", mcpResponses),
        "text/event-stream": {
          schema: { type: "string", description: "Server-sent events, a JSON-RPC message each." },
        },
      },
    },
    202: { description: "A notification was taken.", headers: headersOf(...limited) },
    ...failures(["invalid_request"], ...limited),
  },
};
