import type { CallToolResult } from "@modelcontextprotocol/server";
import { type Problem, problems } from "@video-to-json/contract";
import { verbatimValue } from "@video-to-json/schema-input";

/** What a tool gave, as text and as structure, both exactly as it stands in the JSON text (docs/decisions/0001, "MCP"). */
export function succeeded(text: string, jobId: string | undefined): CallToolResult {
  return {
    content: [{ type: "text", text }],
    structuredContent: verbatimValue(text) as Record<string, unknown>,
    ...meta({}, jobId),
  };
}

/**
 * A tool's failure: the REST error body as text, its code in `_meta`, and no structure, which clients would hold against
 * the tool's output schema (docs/decisions/0001, "MCP").
 */
export function failed(problem: Problem, jobId: string | undefined): CallToolResult {
  const { code } = problem;
  return {
    isError: true,
    content: [{ type: "text", text: JSON.stringify({ error: problem.toInside() }) }],
    ...meta({ "video-to-json/error": { code, retryable: problems[code].retryable } }, jobId),
  };
}

function meta(known: Record<string, unknown>, jobId: string | undefined) {
  return { _meta: { ...known, ...(jobId === undefined ? {} : { "video-to-json/job": { id: jobId } }) } };
}
