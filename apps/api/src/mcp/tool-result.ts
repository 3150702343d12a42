import type { CallToolResult } from "@modelcontextprotocol/server";
import { type Problem, problems } from "@video-to-json/contract";
import { verbatimValue } from "@video-to-json/schema-input";

/** Returns the result of a tool as text and as structure, both exactly as in its JSON text (docs/decisions/0001, "MCP"). */
export function succeeded(text: string, jobId: string | undefined): CallToolResult {
  return {
    content: [{ type: "text", text }],
    structuredContent: verbatimValue(text) as Record<string, unknown>,
    ...meta({}, jobId),
  };
}

/**
 * Returns the result of a tool that failed: the REST error body as text, and its code in `_meta`. There is no structure,
 * because clients would validate it against the tool's output schema (docs/decisions/0001, "MCP").
 */
export function failed(problem: Problem, jobId: string | undefined): CallToolResult {
  const { code } = problem;
  return {
    isError: true,
    content: [{ type: "text", text: JSON.stringify({ error: problem.toInside() }) }],
    ...meta({ "video-to-json/error": { code, retryable: problems[code].retryable } }, jobId),
  };
}

function meta(members: Record<string, unknown>, jobId: string | undefined) {
  return { _meta: { ...members, ...(jobId === undefined ? {} : { "video-to-json/job": { id: jobId } }) } };
}
