import { randomUUID } from "node:crypto";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { defaultLimits } from "@video-to-json/contract";
import { McpRequest, McpResponse } from "@video-to-json/contract/shapes/service";
import { signalOnClose } from "@video-to-json/runtime/http";
import type { RequestHandler } from "express";
import { createServer, type ServerDeps } from "../mcp/create-server.ts";
import {
  createResponseHeadGate,
  type GuardBrowsersDeps,
  guardBrowsers,
  rpcCodes,
  sendRpcErrors,
  sendWebResponse,
  webRequest,
} from "../mcp/exchange.ts";
import { type ExtractToolDeps, extractTool } from "../mcp/extract-tool.ts";
import { createMessageReader, type ReadRequestMessageDeps } from "../mcp/read-message.ts";
import { type RecentExtractionsDeps, recentExtractionsTool } from "../mcp/recent-extractions-tool.ts";
import { type Examples, errorExample, json, type Operation } from "../openapi/operation.ts";
import { extraction, instructions, sketch, videoUrl } from "../openapi/samples.ts";
import type { Route } from "./route.ts";

type McpDeps = GuardBrowsersDeps & ReadRequestMessageDeps & ServerDeps & ExtractToolDeps & RecentExtractionsDeps;

// The first comment makes the head of the response leave. Later ones keep proxies from closing a long call.
const keepAliveMs = 2000;

const requests: Examples = {
  listTools: { summary: "List the tools", value: { jsonrpc: "2.0", id: 1, method: "tools/list" } },
  extract: {
    summary: "Extract",
    value: {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "extract", arguments: { video_url: videoUrl, schema: sketch, instructions } },
    },
  },
  recentExtractions: {
    summary: "Read the newest answer again",
    value: {
      jsonrpc: "2.0",
      id: 3,
      method: "tools/call",
      params: { name: "recent_extractions", arguments: { limit: 1 } },
    },
  },
};

const results: Examples = {
  extract: {
    summary: "Data that conforms",
    value: {
      jsonrpc: "2.0",
      id: 2,
      result: { content: [{ type: "text", text: JSON.stringify(extraction) }], structuredContent: extraction },
    },
  },
  failure: {
    summary: "A tool that failed, with the code of the REST endpoint",
    value: {
      jsonrpc: "2.0",
      id: 2,
      result: {
        isError: true,
        content: [{ type: "text", text: JSON.stringify({ error: errorExample("video_missing", defaultLimits) }) }],
        _meta: { "video-to-json/error": { code: "video_missing", retryable: false } },
      },
    },
  },
};

const operation: Operation = {
  operationId: "callMcp",
  tag: "Agents",
  summary: "Call the Model Context Protocol",
  description:
    "Streamable HTTP transport without sessions: it speaks JSON-RPC, one message a request, with the same key, metering and guarantees as the other endpoints. `Accept` must name both `application/json` and `text/event-stream`. The tools are `extract` (`video_url`, `schema`, `instructions`) and `recent_extractions` (`id`, `video_url`, `limit`), which reads an answer again that was lost to a client's timeout. `schema` is an object or its JSON text. A call with the same arguments as one that succeeded a few minutes before gets that answer free, marked in `_meta`. A tool that fails answers 200 with `isError`, the Error body as its text and the code in `_meta`. A message that cannot be served at all answers 4xx with a JSON-RPC error.",
  requestBody: { content: json(McpRequest, requests) },
  responses: {
    200: {
      description: "A JSON-RPC response, or a stream of server-sent events whose last one holds it.",
      headers: ["JobIdIfAny"],
      content: {
        ...json(McpResponse, results),
        "text/event-stream": {
          schema: { type: "string", description: "Server-sent events, each with one JSON-RPC message." },
        },
      },
    },
    202: { description: "A notification was accepted." },
    400: rpcFailure(
      "The body is not one JSON-RPC message that can be served.",
      rpcCodes.invalidRequest,
      "Batches are not supported. Send one message per request.",
    ),
    403: rpcFailure(
      "The request came from a page, or for a host, that is not allowed.",
      rpcCodes.refused,
      "Invalid Origin: pages.example.com",
    ),
    404: rpcFailure("There is no such method.", -32_601, "Method not found"),
    406: rpcFailure(
      "`Accept` does not name both types.",
      rpcCodes.refused,
      "Not Acceptable: Client must accept both application/json and text/event-stream",
    ),
    413: rpcFailure(
      "The body is larger than 4 MiB.",
      rpcCodes.refused,
      "The request is malformed: request entity too large. Correct it.",
    ),
    415: rpcFailure(
      "The body is not plain JSON.",
      rpcCodes.refused,
      "Unsupported Media Type: Content-Type must be application/json",
    ),
  },
};

/** A message that cannot be served gets a JSON-RPC error. Every other failure is an Error, as on the other routes. */
function rpcFailure(description: string, code: number, message: string): Operation["responses"][number] {
  const value = { jsonrpc: "2.0", id: null, error: { code, message } };
  return { description, content: json(McpResponse, { fault: { summary: message, value } }) };
}

/**
 * `/v1/mcp`: the service as tools over Streamable HTTP, without sessions, for clients of the protocol of 2026-07-28 and
 * of earlier versions (specification, "POST /v1/mcp"; docs/decisions/0001, "MCP").
 */
export const mcpRoute: Route<McpDeps> = {
  method: "post",
  path: "/v1/mcp",
  use: "by message",
  everyMethod: true,
  operation,
  handle: (deps) => {
    const readRequestMessage = createMessageReader(deps);
    const tools = [extractTool(deps), recentExtractionsTool(deps)];

    const serve: RequestHandler = async (request, response) => {
      const { message, refusal } = await readRequestMessage(request, response);
      const signal = signalOnClose(response);
      const head = createResponseHeadGate();
      const structure = { mark: randomUUID(), text: "" };
      let libraryError: Error | undefined;
      const handler = createMcpHandler(
        ({ era }) =>
          createServer(deps, { tools, message, response, signal, era, refusal, structure, onJobKnown: head.open }),
        {
          responseMode: "sse",
          keepAliveMs,
          onerror: (error) => {
            libraryError = error;
          },
        },
      );
      const incoming = await webRequest(request, message.body, signal);
      const answer = await handler.fetch(incoming, { parsedBody: message.body });
      if (answer.status >= 500) throw new Error("the MCP library failed", { cause: libraryError });
      if (message.tool === "extract") await head.opened;
      await sendWebResponse(response, answer, structure);
    };
    return [...guardBrowsers(deps), serve, sendRpcErrors];
  },
};
