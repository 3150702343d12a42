import { mcpRequests, mcpResponses } from "./examples.ts";
import { failures } from "./failures.ts";
import { headersOf } from "./headers.ts";
import { jsonOf } from "./named-schemas.ts";

type Fault = { description: string; code: number; message: string };

/** What is wrong with a message as such is told as JSON-RPC has it; a key, a quota and ourselves as everywhere. */
const faults: Readonly<Record<number, Fault>> = {
  400: {
    description: "The body is not one JSON-RPC message that can be served.",
    code: -32_600,
    message: "Batches are not taken. Send one message a request.",
  },
  403: {
    description: "The request came from a page, or for a host, that is not ours.",
    code: -32_000,
    message: "Invalid Origin: pages.example.com",
  },
  404: { description: "There is no such method.", code: -32_601, message: "Method not found" },
  406: {
    description: "`Accept` does not name both types.",
    code: -32_000,
    message: "Not Acceptable: Client must accept both application/json and text/event-stream",
  },
  413: {
    description: "The body is larger than 4 MiB.",
    code: -32_000,
    message: "The request cannot be read: request entity too large. Correct it and send it again.",
  },
  415: {
    description: "The body is not plain JSON.",
    code: -32_000,
    message: "Unsupported Media Type: Content-Type must be application/json",
  },
};

function answerOf({ description, code, message }: Fault) {
  const value = { jsonrpc: "2.0", id: null, error: { code, message } };
  return { description, headers: headersOf(), content: jsonOf("McpResponse", { fault: { summary: message, value } }) };
}

const answers = Object.fromEntries(Object.entries(faults).map(([status, fault]) => [status, answerOf(fault)]));
const { 400: wrongRequest, ...elsewhere } = failures({});

/** What is no HTTP request that could be routed is refused as everywhere, before it is a message. */
function eitherOf(first: typeof wrongRequest, second: typeof wrongRequest) {
  const [one, other] = [first?.content["application/json"], second?.content["application/json"]];
  return {
    ...first,
    content: {
      "application/json": {
        schema: { anyOf: [one?.schema, other?.schema] },
        examples: { ...one?.examples, ...other?.examples },
      },
    },
  };
}

/** `POST /v1/mcp` (specification, "POST /v1/mcp"). */
export const mcpOperation = {
  operationId: "callMcp",
  tags: ["Agents"],
  summary: "The Model Context Protocol",
  description:
    "Streamable HTTP transport without sessions: it speaks JSON-RPC, one message a request, with the same key, metering and guarantees as the other endpoints. `Accept` must name both `application/json` and `text/event-stream`. The tools are `extract` (`video_url`, `schema`, `instructions`) and `recent_extractions` (`id`, `limit`), which reads back an answer that was lost to a client's timeout. A tool that fails answers 200 with `isError`, the Error body as its text and the code in `_meta`; a message that cannot be served at all answers 4xx with a JSON-RPC error.",
  requestBody: { required: true, content: jsonOf("McpRequest", mcpRequests) },
  responses: {
    200: {
      description: "A JSON-RPC answer, or a stream of server-sent events whose last one holds it.",
      headers: headersOf("JobIdIfAny"),
      content: {
        ...jsonOf("McpResponse", mcpResponses),
        "text/event-stream": {
          schema: { type: "string", description: "Server-sent events, a JSON-RPC message each." },
        },
      },
    },
    202: { description: "A notification was taken.", headers: headersOf() },
    ...answers,
    400: eitherOf(answers[400], wrongRequest),
    ...elsewhere,
  },
};
