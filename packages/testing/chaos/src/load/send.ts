import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answered, Call, Drop, Outcome } from "./call.ts";
import { createRequest } from "./create-request.ts";
import type { McpVersion } from "./mcp-message.ts";

type Sending = {
  apiUrl: string;
  /** The URL of the file server, without a slash at the end. */
  filesUrl: string;
  drop: Drop;
  /** The pause between the pieces of a body, and the wait before the client closes the connection, in milliseconds. */
  pauseMs: number;
  /** The time limit for the response, in milliseconds. */
  timeoutMs: number;
  /** The version of an MCP request. */
  version?: McpVersion | undefined;
};

/** Sends the request of a call once. Returns the outcome. Never throws. */
export async function send(
  call: Call,
  { apiUrl, filesUrl, drop, pauseMs, timeoutMs, version }: Sending,
): Promise<Outcome> {
  const { path, headers, pieces } = createRequest(call, filesUrl, version);
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const sent = request(`${apiUrl}${path}`, { method: "POST", headers, agent: false });
  const overdue = setTimeout(() => end({ is: "hung" }), timeoutMs);

  function end(outcome: Outcome): void {
    resolve(outcome);
    clearTimeout(overdue);
    sent.destroy();
  }
  sent.on("error", (error: NodeJS.ErrnoException) => {
    end(error.code === "ECONNREFUSED" ? { is: "refused" } : { is: "broken", why: error.code ?? error.message });
  });
  sent.once("response", (response) => void read(call, response).then(end));
  void feed();
  return promise;

  async function feed(): Promise<void> {
    for (const [index, piece] of pieces.entries()) {
      if (sent.destroyed) return;
      sent.write(piece);
      if (index < pieces.length - 1 || pieces.length === 1) await sleep(pieces.length === 1 ? 0 : pauseMs);
      if (index === 0 && drop === "mid-upload") return end({ is: "dropped", when: "mid-upload" });
    }
    sent.end();
    if (drop !== "mid-wait") return;
    await sleep(pauseMs);
    end({ is: "dropped", when: "mid-wait" });
  }
}

async function read(call: Call, response: IncomingMessage): Promise<Outcome> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    return call.entryPoint === "mcp" ? fromTool(response, text) : fromRest(response, text);
  } catch (error) {
    return { is: "broken", why: error instanceof Error ? error.message : "unreadable" };
  }
}

function fromRest(response: IncomingMessage, text: string): Answered {
  const status = response.statusCode ?? 0;
  const jobId = response.headers["job-id"];
  return {
    is: "answered",
    status,
    text,
    code: status === 200 ? undefined : codeIn(text),
    jobId: typeof jobId === "string" ? jobId : undefined,
    replayed: response.headers["idempotent-replayed"] === "true",
  };
}

type ToolReply = {
  result?: {
    isError?: boolean;
    content?: { text?: string }[];
    structuredContent?: unknown;
    _meta?: { "video-to-json/job"?: { id?: string } };
  };
  error?: { code: number };
};

/** Reads the outcome of an MCP response. A request that is rejected before MCP handles it gets a REST error. */
function fromTool(response: IncomingMessage, text: string): Outcome {
  if (response.statusCode !== 200) return fromRest(response, text);
  const line = text.split("\n").findLast((each) => each.startsWith("data: "));
  if (line === undefined) return { is: "broken", why: "the stream ended without a reply" };
  const reply = line.slice("data: ".length);
  const { result, error } = JSON.parse(reply) as ToolReply;
  const said = result?.content?.[0]?.text;
  const answer = {
    is: "answered",
    status: 200,
    jobId: result?._meta?.["video-to-json/job"]?.id,
    replayed: false,
  } as const;
  if (!result || said === undefined) return { ...answer, text: reply, code: error ? String(error.code) : "no result" };
  if (result.isError) return { ...answer, text: said, code: codeIn(said) };
  return { ...answer, text: said, code: undefined, structured: result.structuredContent };
}

function codeIn(text: string): string {
  try {
    return String((JSON.parse(text) as { error: { code: unknown } }).error.code);
  } catch {
    return "no error body";
  }
}
