import type { CallToolResult } from "@modelcontextprotocol/server";
import { type Problem, problems } from "@video-to-json/contract";
import { verbatimValue } from "@video-to-json/schema";
import type { ToolAnswer } from "./tool.ts";

/** The job of a call. `isReplayed`: the answer is that of an identical call a short time ago. */
export type CallJob = { id: string; isReplayed: boolean };

/**
 * Returns the result of a tool as text and as structure, both exactly as in its JSON text (docs/decisions/0001, "MCP").
 * Remarks for the caller are a second text.
 */
export function succeeded({ text, note }: ToolAnswer, job: CallJob | undefined): CallToolResult {
  return {
    content: [text, ...(note === undefined ? [] : [note])].map((text) => ({ type: "text", text })),
    structuredContent: verbatimValue(text) as Record<string, unknown>,
    ...meta(job?.isReplayed ? { "video-to-json/replayed": true } : {}, job),
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
