import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { Problem } from "@video-to-json/contract";
import type { Logger } from "@video-to-json/telemetry";
import type { Response } from "express";
import { callerOf } from "../caller/authenticate.ts";
import { asProblem, isOurs } from "../errors/on-error.ts";
import type { Message } from "./read-message.ts";
import { reportProgress, silence } from "./report-progress.ts";
import type { Tool } from "./tool.ts";
import { failed, succeeded } from "./tool-result.ts";

type Deps = { readonly log: Pick<Logger, "error"> };

type Exchange = {
  tools: readonly Tool[];
  message: Message;
  response: Response;
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
  era: "legacy" | "modern";
  /** The account has no turn left for this call. */
  refusal: Problem | undefined;
  /** Hears when it is known which job the call is about, or that there is none. */
  onJob(): void;
};

const instructions =
  "Turns a video behind a URL into JSON that conforms to a schema of yours. Call extract; if a call is cut off, read its result with recent_extractions before you call again.";

/** The MCP server of one request: it holds nothing, so any process can answer any message. */
export function createServer(deps: Deps, exchange: Exchange): Server {
  const { tools, message } = exchange;
  const server = new Server(
    { name: "video-to-json", title: "Video-to-JSON", version: "1.0.0" },
    { capabilities: { tools: {} }, instructions, cacheHints: hints },
  );
  server.setRequestHandler("tools/list", () => ({ tools: tools.map(({ definition }) => definition) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = tools.find(({ definition }) => definition.name === message.tool);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}".`);
    const progressToken = context.mcpReq._meta?.progressToken;
    const progress =
      progressToken === undefined
        ? silence
        : reportProgress((told) =>
            context.mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...told } }),
          );
    try {
      return await answer(deps, exchange, tool, progress);
    } finally {
      progress.stop();
    }
  });
  return server;
}

const hints = {
  "tools/list": { ttlMs: 300_000, cacheScope: "public" },
  "server/discover": { ttlMs: 300_000, cacheScope: "public" },
} as const;

async function answer(deps: Deps, exchange: Exchange, tool: Tool, progress: ReturnType<typeof reportProgress>) {
  const { message, response, era, refusal, signal } = exchange;
  let jobId: string | undefined;
  try {
    if (refusal) throw refusal;
    if (!message.arguments)
      throw new Problem("invalid_request", { reason: "`arguments` is not an object. Send an object." });
    const text = await tool.run({
      caller: callerOf(response),
      arguments: message.arguments,
      signal,
      progress,
      closingCancels: era === "modern",
      onJob: (id) => {
        jobId = id;
        // The log knows the job even where the head of the response was out before.
        response.locals.jobId = id;
        if (!response.headersSent) response.set("Job-Id", id);
        exchange.onJob();
      },
    });
    return succeeded(text, jobId);
  } catch (error) {
    const problem = asProblem(error);
    if (isOurs(problem)) {
      const { requestId } = response.locals;
      deps.log.error({ err: error, requestId, jobId, tool: tool.definition.name }, "tool failed");
    }
    return failed(problem, jobId);
  } finally {
    exchange.onJob();
  }
}
