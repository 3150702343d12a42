import { createMcpHandler } from "@modelcontextprotocol/server";
import { Problem } from "@video-to-json/contract";
import type { ErrorRequestHandler, RequestHandler } from "express";
import { asProblem } from "../errors/on-error.ts";
import { openBodyCount } from "../http/count-bodies.ts";
import { goneSignal } from "../http/gone-signal.ts";
import { createServer } from "../mcp/create-server.ts";
import { extractTool } from "../mcp/extract-tool.ts";
import { guardBrowsers } from "../mcp/guard-browsers.ts";
import { openAdmission } from "../mcp/open-admission.ts";
import { receiveMessage } from "../mcp/receive-message.ts";
import { recentExtractionsTool } from "../mcp/recent-extractions-tool.ts";
import { RpcFault, rpcCodes, sendRpcFault } from "../mcp/rpc-fault.ts";
import { sendAnswer, webRequest } from "../mcp/web-exchange.ts";

type Deps = Parameters<typeof guardBrowsers>[0] &
  Omit<Parameters<typeof receiveMessage>[0], "bodies"> &
  Parameters<typeof openBodyCount>[0] &
  Parameters<typeof createServer>[0] &
  Parameters<typeof extractTool>[0] &
  Parameters<typeof recentExtractionsTool>[0];

// The first byte comes with it, and it keeps proxies from giving up on a long call.
const keepAliveMs = 2000;

/**
 * `/v1/mcp`: the service as tools, over Streamable HTTP without sessions, for clients of the protocol of 2026-07-28 and
 * of the ones before (specification, "POST /v1/mcp"; docs/decisions/0001, "MCP").
 */
export function mcp(deps: Deps): (RequestHandler | ErrorRequestHandler)[] {
  const bodies = openBodyCount(deps, "rate_limited");
  const tools = [extractTool(deps), recentExtractionsTool(deps)];

  const serve: RequestHandler = async (request, response) => {
    const { message, refusal } = await receiveMessage({ ...deps, bodies }, request, response);
    const signal = goneSignal(response);
    const admission = openAdmission();
    let fault: Error | undefined;
    const handler = createMcpHandler(
      ({ era }) => createServer(deps, { tools, message, response, signal, era, refusal, onJob: admission.told }),
      {
        responseMode: "sse",
        keepAliveMs,
        onerror: (error) => {
          fault = error;
        },
      },
    );
    const incoming = await webRequest(request, message.body, signal);
    const answer = await handler.fetch(incoming, { parsedBody: message.body });
    if (answer.status >= 500) throw new Error("the MCP library failed", { cause: fault });
    if (message.tool === "extract") await admission.done;
    await sendAnswer(response, answer);
  };
  return [...guardBrowsers(deps), serve, onFault];
}

/** A message that cannot be taken is told of as JSON-RPC has it; all else as on every other route. */
const onFault: ErrorRequestHandler = (error, _request, response, next) => {
  const fault = faultOf(error);
  if (fault && !response.headersSent) sendRpcFault(response, fault);
  else next(error);
};

function faultOf(error: unknown): RpcFault | undefined {
  if (error instanceof RpcFault) return error;
  if (error instanceof Problem && error.code !== "invalid_request") return undefined;
  const { status } = error as { status?: unknown };
  if (typeof status !== "number" || status >= 500) return undefined;
  return new RpcFault(status, rpcCodes.refused, asProblem(error).message);
}
