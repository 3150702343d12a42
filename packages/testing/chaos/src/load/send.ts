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
import type { ChaosClip } from "./videos.ts";

/** The request of a call: path, headers, and the body in the pieces in which it is sent. */
export type CallRequest = { path: string; headers: Record<string, string | number>; pieces: Buffer[] };

/** Creates the request of a call for its entry point. `version` is that of an MCP client. */
export function createRequest(call: Call, filesUrl: string, version: McpVersion = "2025-11-25"): CallRequest {
  const { entryPoint, shape, marker, urlPath, idempotencyKey, extras = [], detail } = call;
  const [videoUrl, instructions] = [`${filesUrl}${urlPath}`, marker].map((text) => JSON.stringify(text));
  const part = call.clip ? `,"clip":${clipText(call.clip)}` : "";
  const asked = `"schema":${shape.schemaText},"instructions":${instructions}${part}${detail ? `,"detail":"${detail}"` : ""}`;
  const args = `{"video_url":${videoUrl},${asked}}`;
  if (entryPoint === "mcp") return withHeaders(call, "/v1/mcp", mcpMessage(version, args, extras));
  const options = {
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    ...Object.fromEntries(extras.map((extra) => [extra, valueOfExtra[extra]])),
  };
  const body = entryPoint === "url" ? jsonBody(args) : form(call);
  return withHeaders(call, "/v1/extract", { ...body, headers: { ...options, ...body.headers } });
}

function clipText({ startSeconds, endSeconds }: ChaosClip): string {
  const time = (seconds: number) =>
    new Date(1000 * seconds).toISOString().slice("1970-01-01T00:".length, -".000Z".length);
  const end = endSeconds === null ? {} : { end: time(endSeconds) };
  return JSON.stringify({ ...(startSeconds > 0 && { start: time(startSeconds) }), ...end });
}

type Body = { headers: Record<string, string>; pieces: Buffer[] };

function withHeaders(call: Call, path: string, { headers, pieces }: Body): CallRequest {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const common = { authorization: `Bearer ${call.account.key}`, "x-request-id": requestIdOf(call) };
  return { path, headers: { ...common, "content-length": length, ...headers }, pieces };
}

function jsonBody(text: string): Body {
  return { headers: { "content-type": "application/json" }, pieces: [Buffer.from(text)] };
}

function mcpMessage(version: McpVersion, args: string, extras: readonly Extra[]): Body {
  const isModern = closingCancels(version);
  const options = Object.fromEntries(extras.map((extra) => [nameInMeta[extra], valueOfExtra[extra]]));
  const meta = JSON.stringify({ ...(isModern && envelope), ...options });
  const { headers, pieces } = jsonBody(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"extract","arguments":${args},"_meta":${meta}}}`,
  );
  const accept = "application/json, text/event-stream";
  const named = isModern && { "mcp-method": "tools/call", "mcp-name": "extract" };
  return { headers: { ...headers, accept, "mcp-protocol-version": version, ...named }, pieces };
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

/** The name of every uploaded file. */
export const fileName = "clip.mp4";

function form({ shape, marker, video, clip, detail }: Call): Body {
  const boundary = `----${randomBytes(12).toString("hex")}`;
  const part = (shown: string) => `--${boundary}\r\nContent-Disposition: form-data; name=${shown}\r\n`;
  const texts = { schema: shape.schemaText, instructions: marker, clip: clip && clipText(clip), detail };
  const fields = Object.entries(texts).map(([name, text]) => (text ? `${part(`"${name}"`)}\r\n${text}\r\n` : ""));
  const head = `${fields.join("")}${part(`"video"; filename="${fileName}"`)}Content-Type: video/mp4\r\n\r\n`;
  const half = Math.floor(video.bytes.length / 2);
  const pieces = [
    Buffer.concat([Buffer.from(head), video.bytes.subarray(0, half)]),
    Buffer.concat([video.bytes.subarray(half), Buffer.from(`\r\n--${boundary}--\r\n`)]),
  ];
  return { headers: { "content-type": `multipart/form-data; boundary=${boundary}` }, pieces };
}

type Sending = {
  apiUrl: string;
  /** The URL of the file server, without a slash at the end. */
  filesUrl: string;
  drop: Drop;
  /** The pause between the pieces of a body, and the wait before the client closes the connection, in milliseconds. */
  pauseMs: number;
  timeoutMs: number;
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
      if (index > 0) {
        await sleep(pauseMs);
        if (drop === "mid-upload") return end({ is: "dropped", when: drop });
      }
      if (sent.destroyed) return;
      sent.write(piece);
    }
    sent.end();
    if (drop !== "mid-wait") return;
    await sleep(pauseMs);
    end({ is: "dropped", when: drop });
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
