import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { Problem, problems } from "@video-to-json/contract";
import { sketchInBrief } from "@video-to-json/contract/sketch-language/words";
import type { Logger } from "@video-to-json/runtime/telemetry";
import type { Response } from "express";
import { callerOf } from "../caller/authenticate.ts";
import { asProblem, isServiceFailure } from "../errors/on-error.ts";
import { contextOf, originOf } from "../http/context.ts";
import type { Structure } from "./exchange.ts";
import type { Message } from "./read-message.ts";
import { noProgress, type Progress, reportProgress, type Tool, type ToolAnswer, type ToolCall } from "./tool.ts";

export type ServerDeps = { readonly log: Pick<Logger, "error"> };

type Exchange = {
  tools: readonly Tool[];
  message: Message;
  response: Response;
  /** Aborts when the caller has gone. */
  signal: AbortSignal;
  /** The version of the protocol: before 2026-07-28, or from then on. */
  era: "legacy" | "modern";
  /** The rate limit, or the scope of the key, refuses this call. */
  refusal: Problem | undefined;
  structure: Structure;
  /** Called when the call's job is known, or when it is known that the call has none. */
  onJobKnown(): void;
};

const instructions = `Turns a video at a URL into JSON that conforms to your schema. Call extract with video_url, the address of the video file itself and not of a page that shows it, and with schema, a sketch or a JSON Schema. ${sketchInBrief} If a call is cut off, its job continues: call again with the same arguments, which costs nothing more, or read it with recent_extractions by video_url or id.`;

/** Creates the MCP server of one request. It keeps no state, so any process can answer any message. */
export function createServer(deps: ServerDeps, exchange: Exchange): Server {
  const { tools, message } = exchange;
  const server = new Server(
    { name: "video-to-json", title: "Video-to-JSON", version: "1.0.0" },
    { capabilities: { tools: {} }, instructions, cacheHints: hints },
  );
  server.setRequestHandler("tools/list", () => ({ tools: tools.map(({ definition }) => definition) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = tools.find(({ definition }) => definition.name === message.tool);
    if (!tool) {
      const names = tools.map(({ definition }) => definition.name).join(" and ");
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool "${params.name}". The tools are ${names}.`,
      );
    }
    const meta = context.mcpReq._meta ?? {};
    const { progressToken } = meta;
    const progress =
      progressToken === undefined
        ? noProgress
        : reportProgress((update) =>
            context.mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...update } }),
          );
    try {
      return await answer(deps, { ...exchange, meta }, tool, progress);
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

type Call = Exchange & Pick<ToolCall, "meta">;

async function answer(deps: ServerDeps, exchange: Call, tool: Tool, progress: Progress) {
  const { message, response, era, refusal, signal, meta } = exchange;
  let job: CallJob | undefined;
  try {
    if (refusal) throw refusal;
    if (!message.arguments)
      throw new Problem("invalid_request", { reason: "`arguments` is not an object. Send an object." });
    const answer = await tool.run({
      caller: callerOf(response),
      arguments: message.arguments,
      meta,
      signal,
      progress,
      origin: originOf(response),
      closingCancels: era === "modern",
      onJob: (id, isReplayed = false) => {
        job = { id, isReplayed };
        progress.nameJob(id);
        // For the log, because the head of the response may be sent already.
        contextOf(response).jobId = id;
        if (!response.headersSent) response.set("Job-Id", id);
        exchange.onJobKnown();
      },
    });
    exchange.structure.text = answer.text;
    return succeeded(answer, job, exchange.structure);
  } catch (error) {
    const problem = asProblem(error);
    contextOf(response).code = problem.code;
    if (isServiceFailure(problem)) {
      const { requestId } = contextOf(response);
      deps.log.error({ err: error, requestId, jobId: job?.id, tool: tool.definition.name }, "tool failed");
    }
    return failed(problem, job);
  } finally {
    exchange.onJobKnown();
  }
}

/** The job of a call. `isReplayed`: the answer is that of an identical call a short time ago. */
type CallJob = { id: string; isReplayed: boolean };

/**
 * Returns the result of a tool as text, with a mark in place of the structure, which `sendWebResponse` replaces by the same
 * text (docs/decisions/0001, "MCP"). Remarks for the caller are a second text.
 */
export function succeeded(
  { text, note, meta: about }: ToolAnswer,
  job: CallJob | undefined,
  { mark }: Pick<Structure, "mark">,
): CallToolResult {
  return {
    content: [text, ...(note === undefined ? [] : [note])].map((text) => ({ type: "text", text })),
    structuredContent: { [mark]: 0 },
    ...meta({ ...about, ...(job?.isReplayed && { "video-to-json/replayed": true }) }, job),
  };
}

/**
 * Returns the result of a tool that failed: the REST error body as text, and its code in `_meta`. The message names the
 * job, because hosts show no `_meta` to a model. There is no structure, because clients would validate it against the
 * tool's output schema (docs/decisions/0001, "MCP").
 */
export function failed(problem: Problem, job: CallJob | undefined): CallToolResult {
  const { code } = problem;
  const inside = problem.toInside();
  const { message } = inside;
  const named = job === undefined || message.includes(job.id) ? message : `${message} The job is ${job.id}.`;
  return {
    isError: true,
    content: [{ type: "text", text: JSON.stringify({ error: { ...inside, message: named } }) }],
    ...meta({ "video-to-json/error": { code, retryable: problems[code].retryable } }, job),
  };
}

function meta(members: Record<string, unknown>, job: CallJob | undefined) {
  const all = { ...members, ...(job === undefined ? {} : { "video-to-json/job": { id: job.id } }) };
  return Object.keys(all).length === 0 ? {} : { _meta: all };
}
