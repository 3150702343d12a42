import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { createClient } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import { CommandError } from "../exit/command-error.ts";
import type { Io } from "../io.ts";
import { extractFile } from "./extract-file.ts";

/** A message of JSON-RPC, as far as the command looks at it. */
export type Message = {
  id?: string | number;
  method?: string;
  params?: {
    name?: string;
    arguments?: Record<string, unknown>;
    requestId?: string | number;
    _meta?: Record<string, unknown>;
  };
};

/**
 * Serves MCP on standard input and output, a message a line, until the input ends. A call of `extract` with `video_path`
 * uploads a file. Every other message goes to `/v1/mcp` as it is, because the way numbers are written in a sketch matters.
 */
export async function serveMcp(io: Io, options: { url?: string; allow: readonly string[] }): Promise<void> {
  const { baseUrl, apiKey } = await findConnection(io, options);
  const folders = await Promise.all(options.allow.map(folderOf));
  const client = createClient({ baseUrl, apiKey });
  const calls = new Map<string, AbortController>();
  let version: string | undefined;
  // A line break in an answer is only white space, but it would end the message.
  const write = (text: string) => void io.stdout.write(`${text.replaceAll(/[\r\n]/g, " ")}\n`);

  const pass = async (line: string, message: Message, signal: AbortSignal) => {
    const headers = { ...headersOf(message, version), authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${baseUrl}/v1/mcp`, { method: "POST", headers, body: line, signal });
    if (message.id === undefined) {
      await response.body?.cancel();
      return;
    }
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      const text = await response.text();
      const body = JSON.parse(text) as { jsonrpc?: string; error?: { message?: string } };
      if (body.jsonrpc === undefined) throw new Error(body.error?.message ?? `status ${response.status}`);
      return write(text);
    }
    let rest = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const data of lines.filter((text) => text.startsWith("data: "))) write(adapted(message, data.slice(6)));
    }
  };
  const adapted = (message: Message, text: string) => {
    if (message.method === "initialize") {
      version = (JSON.parse(text) as { result?: { protocolVersion?: string } }).result?.protocolVersion ?? version;
    }
    return message.method === "tools/list" && folders.length > 0 ? withVideoPath(text, folders) : text;
  };
  const serve = async (line: string) => {
    let message: Message = {};
    const call = new AbortController();
    try {
      message = JSON.parse(line) as Message;
      const { id, method, params } = message;
      if (method === "notifications/cancelled") calls.get(JSON.stringify(params?.requestId))?.abort();
      if (id !== undefined) calls.set(JSON.stringify(id), call);
      const isFile = method === "tools/call" && params?.name === "extract" && "video_path" in (params.arguments ?? {});
      if (isFile && folders.length > 0) await extractFile({ client, folders, write }, { line, message }, call.signal);
      else await pass(line, message, call.signal);
    } catch (error) {
      const { id = null } = message;
      const text = error instanceof Error ? error.message : String(error);
      const failure = { code: message.method === undefined ? -32_700 : -32_000, message: text };
      if (!call.signal.aborted) write(JSON.stringify({ jsonrpc: "2.0", id, error: failure }));
    } finally {
      calls.delete(JSON.stringify(message.id));
    }
  };
  for await (const line of createInterface({ input: io.stdin })) if (line.trim() !== "") void serve(line);
  for (const call of calls.values()) call.abort();
}

async function folderOf(folder: string): Promise<string> {
  const real = await realpath(resolve(folder)).catch(() => undefined);
  if (real !== undefined && (await stat(real)).isDirectory()) return real;
  throw new CommandError("wrong_usage", `${folder} is not a folder. Give --allow a folder.`);
}

/** Messages of 2026-07-28 say their version, and their headers repeat what they are. */
function headersOf({ method, params }: Message, negotiated: string | undefined): Record<string, string> {
  const version = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(typeof version === "string"
      ? {
          ...{ "mcp-protocol-version": version, "mcp-method": method ?? "" },
          ...(params?.name === undefined ? {} : { "mcp-name": encodeURIComponent(params.name) }),
        }
      : negotiated !== undefined && { "mcp-protocol-version": negotiated }),
  };
}

function withVideoPath(text: string, folders: readonly string[]): string {
  type Tool = { name: string; inputSchema: { properties: Record<string, object>; required?: string[] } };
  const body = JSON.parse(text) as { result?: { tools?: Tool[] } };
  const schema = body.result?.tools?.find(({ name }) => name === "extract")?.inputSchema;
  if (schema === undefined) return text;
  const description = `The path of a video file on this computer, instead of video_url. It is below ${folders.join(" or ")}.`;
  schema.properties = { video_path: { type: "string", description }, ...schema.properties };
  schema.required = schema.required?.filter((name) => name !== "video_url") ?? [];
  return JSON.stringify(body);
}
