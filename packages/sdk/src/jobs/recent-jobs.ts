import { problemStatuses } from "../errors/problem-statuses.ts";
import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "../errors/video-to-json-error.ts";
import { ask } from "../http/ask.ts";
import type { Connection } from "../http/connection.ts";
import { errorInside, judgeAnswer } from "../http/judge-answer.ts";
import type { Answer } from "../http/send.ts";
import type { JobRecord } from "../shapes.ts";

/**
 * The account's latest jobs, newest first. Over REST a job is read by its id alone; the list is the tool
 * `recent_extractions` of `POST /v1/mcp` (specification, "POST /v1/mcp").
 */
export function recentJobs(
  connection: Connection,
  { limit, signal }: { limit?: number | undefined; signal?: AbortSignal | undefined },
): Promise<JobRecord[]> {
  const call = { name: "recent_extractions", arguments: limit === undefined ? {} : { limit } };
  const outgoing = {
    method: "POST",
    path: "/v1/mcp",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
  } as const;
  return ask(connection, outgoing, signal, (answer) => judgeToolAnswer(connection, answer));
}

type ToolAnswer = {
  jsonrpc: "2.0";
  result?: {
    isError?: boolean;
    content?: { type: string; text?: string }[];
    structuredContent?: { extractions?: JobRecord[] };
  };
};

function judgeToolAnswer(connection: Connection, answer: Answer): JobRecord[] {
  const { result } = judgeAnswer<ToolAnswer>(connection, { ...answer, text: messageOf(answer) }, "jsonrpc");
  const text = result?.content?.find(({ type }) => type === "text")?.text ?? "";
  if (result?.structuredContent?.extractions) return result.structuredContent.extractions;
  const inside = result?.isError ? errorInside(parse(text)) : undefined;
  if (inside) {
    throw new VideoToJsonError(inside, {
      status: problemStatuses[inside.code] ?? 500,
      requestId: answer.headers.get("x-request-id") ?? undefined,
      jobId: undefined,
      retryAfterSeconds: undefined,
    });
  }
  throw new VideoToJsonConnectionError(`${connection.baseUrl} answered without a list of jobs. Check baseUrl.`, {
    status: answer.status,
    retryable: false,
  });
}

/** The JSON-RPC answer of a body, which is that or a stream of events whose last message it is. */
function messageOf({ headers, text }: Answer): string {
  if (!headers.get("content-type")?.includes("text/event-stream")) return text;
  const events = text.split(/\r?\n\r?\n|\r\r/).map((event) =>
    event
      .split(/\r\n|\r|\n/)
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice("data:".length).replace(/^ /, ""))
      .join("\n"),
  );
  return events.findLast((data) => /"(result|error)"/.test(data)) ?? "";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
