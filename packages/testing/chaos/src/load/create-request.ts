import { randomBytes } from "node:crypto";
import { type Call, valueOfExtra } from "./call.ts";
import { type McpVersion, mcpMessage } from "./mcp-message.ts";

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
