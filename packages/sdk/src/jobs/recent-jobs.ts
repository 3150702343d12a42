import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "../errors/video-to-json-error.ts";
import { problemStatuses } from "../generated/problem-statuses.gen.ts";
import { checkResponse, errorInside, parseJson } from "../http/check-response.ts";
import type { Connection } from "../http/connection.ts";
import { createEventParser, isEventStream } from "../http/event-stream.ts";
import { type CallOptions, request } from "../http/request.ts";
import type { WithResponse } from "../http/response-info.ts";
import type { HttpResponse } from "../http/send.ts";
import type { JobList, JobSummary, RecentJob } from "../shapes.ts";

/**
 * Lists the account's latest jobs with their data, newest first. The list of REST has none, so this calls the tool
 * `recent_extractions` of `POST /v1/mcp` (specification, "POST /v1/mcp").
 */
export function recentJobs(
  connection: Connection,
  { limit, ...options }: { limit?: number | undefined } & CallOptions,
): Promise<WithResponse<RecentJob[]>> {
  const call = { name: "recent_extractions", arguments: limit === undefined ? {} : { limit } };
  const outgoing = {
    method: "POST",
    path: "/v1/mcp",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
  } as const;
  return request(connection, outgoing, options, (response) => checkToolResponse(connection, response));
}

type ToolResponse = {
  jsonrpc: "2.0";
  result?: {
    isError?: boolean;
    content?: { type: string; text?: string }[];
    structuredContent?: { extractions?: RecentJob[] };
  };
};

function checkToolResponse(connection: Connection, response: HttpResponse): RecentJob[] {
  const { result } = checkResponse<ToolResponse>(connection, { ...response, text: messageOf(response) }, "jsonrpc");
  const text = result?.content?.find(({ type }) => type === "text")?.text ?? "";
  if (result?.structuredContent?.extractions) return result.structuredContent.extractions;
  const inside = result?.isError ? errorInside(parseJson(text)) : undefined;
  if (inside) {
    throw new VideoToJsonError(inside, {
      status: problemStatuses[inside.code] ?? 500,
      requestId: response.headers.get("x-request-id") ?? undefined,
      jobId: undefined,
      retryAfterSeconds: undefined,
    });
  }
  throw new VideoToJsonConnectionError(`${connection.baseUrl} answered without a list of jobs. Check baseUrl.`, {
    status: response.status,
    retryable: false,
  });
}

/** Returns the JSON-RPC message: the whole body, or the last response in a stream of server-sent events. */
function messageOf({ headers, text }: HttpResponse): string {
  if (!isEventStream(headers)) return text;
  const events = createEventParser()(`${text}\n\n`);
  return events.findLast(({ data }) => /"(result|error)"/.test(data))?.data ?? "";
}

/** Which page of the account's jobs to list. */
export type JobQuery = {
  /** How many jobs, 1 to 100; 20 by default. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Only jobs with this status. */
  status?: JobSummary["status"] | undefined;
};

/** Lists one page of the account's jobs, newest first (docs/decisions/0001, "Listing jobs"). */
export function listJobs(
  connection: Connection,
  { limit, cursor, status, ...options }: JobQuery & CallOptions,
): Promise<WithResponse<JobList>> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ limit, cursor, status })) {
    if (value !== undefined) query.set(name, String(value));
  }
  const path = query.size > 0 ? (`/v1/jobs?${query}` as const) : "/v1/jobs";
  return request(connection, { method: "GET", path }, options, (response) =>
    checkResponse<JobList>(connection, response, "jobs", "next_cursor"),
  );
}
