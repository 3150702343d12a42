import { randomBytes } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Answered,
  type Call,
  closingCancels,
  type Drop,
  type Extra,
  type McpVersion,
  type Outcome,
  requestIdOf,
  valueOfExtra,
} from "./call.ts";

/** Returns the headers and the body of a call of the tool `extract`. `args` is JSON text. */
function mcpMessage(
  version: McpVersion,
  args: string,
  extras: readonly Extra[] = [],
): { headers: Record<string, string>; body: string } {
  const modern = closingCancels(version);
  const options = Object.fromEntries(extras.map((extra) => [nameInMeta[extra], valueOfExtra[extra]]));
  const meta = modern || extras.length > 0 ? `,"_meta":${JSON.stringify({ ...(modern && envelope), ...options })}` : "";
  return {
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      ...(modern && { "mcp-method": "tools/call", "mcp-name": "extract" }),
    },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"extract","arguments":${args}${meta}}}`,
  };
}

const nameInMeta: Readonly<Record<Extra, string>> = {
  "extract-evidence": "video-to-json/evidence",
  "second-look": "video-to-json/second-look",
};

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "chaos", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The request of a call: path, headers, and the body in the pieces in which it is sent. */
export type CallRequest = { path: string; headers: Record<string, string | number>; pieces: Buffer[] };

/** Creates the request of a call for its entry point. `version` is that of an MCP client. */
export function createRequest(call: Call, filesUrl: string, version: McpVersion = "2025-11-25"): CallRequest {
  const authorization = `Bearer ${call.account.key}`;
  const videoUrl = `${filesUrl}${call.urlPath}`;
  switch (call.entryPoint) {
    case "upload":
      return withOptions(call, upload(call, authorization));
    case "url": {
      const body = `{"video_url":${JSON.stringify(videoUrl)},"schema":${call.shape.schemaText},"instructions":${JSON.stringify(call.marker)}}`;
      return withOptions(call, json("/v1/extract", authorization, body));
    }
    case "mcp": {
      const args = `{"video_url":${JSON.stringify(videoUrl)},"schema":${call.shape.schemaText},"instructions":${JSON.stringify(call.marker)}}`;
      const { headers, body } = mcpMessage(version, args, call.extras);
      const request = json("/v1/mcp", authorization, body);
      return { ...request, headers: { ...request.headers, ...headers } };
    }
    default:
      return call.entryPoint satisfies never;
  }
}

function json(path: string, authorization: string, body: string): CallRequest {
  const bytes = Buffer.from(body);
  const headers = { authorization, "content-type": "application/json", "content-length": bytes.length };
  return { path, headers, pieces: [bytes] };
}

function upload({ shape, marker, video }: Call, authorization: string): CallRequest {
  const boundary = `----${randomBytes(12).toString("hex")}`;
  const field = (name: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  const head = `${field("schema", shape.schemaText)}${field("instructions", marker)}--${boundary}\r\nContent-Disposition: form-data; name="video"; filename="clip.mp4"\r\nContent-Type: video/mp4\r\n\r\n`;
  const half = Math.floor(video.bytes.length / 2);
  const pieces = [
    Buffer.concat([Buffer.from(head), video.bytes.subarray(0, half)]),
    Buffer.concat([video.bytes.subarray(half), Buffer.from(`\r\n--${boundary}--\r\n`)]),
  ];
  const headers = {
    authorization,
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": pieces.reduce((sum, { length }) => sum + length, 0),
  };
  return { path: "/v1/extract", headers, pieces };
}

function withOptions({ idempotencyKey, extras = [] }: Call, request: CallRequest): CallRequest {
  const options = {
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    ...Object.fromEntries(extras.map((extra) => [extra, valueOfExtra[extra]])),
  };
  return { ...request, headers: { ...request.headers, ...options } };
}

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
  const named = { ...headers, "x-request-id": requestIdOf(call) };
  const sent = request(`${apiUrl}${path}`, { method: "POST", headers: named, agent: false });
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
