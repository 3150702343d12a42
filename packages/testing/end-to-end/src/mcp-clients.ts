import {
  type Transport as AnyTransport,
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

/** The official clients: version 1 of the SDK, and version 2 with both protocols. */
export const mcpClients = ["SDK v1", "SDK v2 of 2025", "SDK v2 of 2026-07-28"] as const;
export type McpClient = (typeof mcpClients)[number];

/** The parts of a tool result that the tests use. */
export type ToolResult = {
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
};
type ToolDefinition = {
  name: string;
  title?: string;
  description?: string;
  annotations?: Record<string, unknown>;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
};
export type Progress = { progress: number; message?: string };
type CallOptions = { timeout?: number; resetTimeoutOnProgress?: boolean; onprogress?: (progress: Progress) => void };
type Call = { name: string; arguments: Record<string, unknown> };

/** One connected client. All kinds must see the same behaviour of the service. */
export type Connected = {
  version: string | undefined;
  tools(): Promise<ToolDefinition[]>;
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  close(): Promise<void>;
};

type Target = {
  baseUrl: string;
  headers?: Record<string, string>;
  fetch?: typeof fetch;
  authProvider?: OAuthClientProvider;
};

/** Connects and lists the tools once, so that the client checks each result against the output schemas. */
export async function connectMcp(kind: McpClient, { baseUrl, headers = {}, ...rest }: Target): Promise<Connected> {
  const url = new URL(`${baseUrl}/v1/mcp`);
  const options = { requestInit: { headers }, ...rest };
  const client = await (kind === "SDK v1" ? connect1(url, options) : connect2(url, options, kind));
  await client.tools();
  return client;
}

const us = { name: "test", version: "1.0.0" };
type Options = { requestInit: RequestInit; fetch?: typeof fetch; authProvider?: OAuthClientProvider };

async function connect1(url: URL, options: Options): Promise<Connected> {
  const client = new Client1(us);
  const transport = new Transport1(url, options);
  await client.connect(transport as Transport);
  return {
    version: transport.protocolVersion,
    tools: async () => (await client.listTools()).tools as ToolDefinition[],
    call: async (name, args, given = {}) =>
      (await client.callTool({ name, arguments: args } satisfies Call, undefined, given as object)) as ToolResult,
    close: () => client.close(),
  };
}

async function connect2(url: URL, options: Options, kind: McpClient): Promise<Connected> {
  const mode = kind === "SDK v2 of 2025" ? "legacy" : "auto";
  const client = new Client2(us, { versionNegotiation: { mode } });
  await client.connect(new Transport2(url, options) as AnyTransport);
  return {
    version: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools as ToolDefinition[],
    call: async (name, args, given = {}) =>
      (await client.callTool({ name, arguments: args } satisfies Call, given as object)) as ToolResult,
    close: () => client.close(),
  };
}
