import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** The official clients: version 1 of the SDK, and version 2 with both protocols. */
export const mcpClients = ["SDK v1", "SDK v2 of 2025", "SDK v2 of 2026-07-28"] as const;
export type McpClient = (typeof mcpClients)[number];

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

const us = { name: "test", version: "1.0.0" };

/** Connects and lists the tools once, so that the client checks each result against the output schemas. */
export async function connectMcp(kind: McpClient, { baseUrl, headers = {}, ...rest }: Target): Promise<Connected> {
  const url = new URL(`${baseUrl}/v1/mcp`);
  const options = { requestInit: { headers }, ...rest };
  const opened = kind === "SDK v1" ? open1(url, options) : open2(url, options, kind);
  await opened.client.connect(opened.transport as never);
  const connected: Connected = {
    version: opened.version(),
    tools: async () => (await opened.client.listTools()).tools as ToolDefinition[],
    call: async (name, args, given = {}) => (await opened.call({ name, arguments: args }, given)) as ToolResult,
    close: () => opened.client.close(),
  };
  await connected.tools();
  return connected;
}

/**
 * Connects with the address alone, so that the client sends its user to sign in. Returns the function that connects with
 * what the user came back with.
 */
export async function askForKey(
  kind: McpClient,
  target: Target & { authProvider: OAuthClientProvider },
): Promise<(answer: URLSearchParams) => Promise<Connected>> {
  const options = { requestInit: {}, authProvider: target.authProvider };
  const url = new URL(`${target.baseUrl}/v1/mcp`);
  const { client, transport } = kind === "SDK v1" ? open1(url, options) : open2(url, options, kind);
  const refused = await client.connect(transport as never).then(
    () => new Error("connected without a sign-in"),
    (error: Error) => error,
  );
  if (!/unauthori[sz]ed/i.test(`${refused.name} ${refused.message}`)) throw refused;
  return async (answer) => {
    // Version 2 also checks which service answered.
    if (transport instanceof Transport2) await transport.finishAuth(answer);
    else await transport.finishAuth(answer.get("code") ?? "");
    return connectMcp(kind, target);
  };
}

type Options = { requestInit: RequestInit; fetch?: typeof fetch; authProvider?: OAuthClientProvider };

function open1(url: URL, options: Options) {
  const client = new Client1(us);
  const transport = new Transport1(url, options);
  const call = (asked: Call, given: CallOptions) => client.callTool(asked, undefined, given as object);
  return { client, transport, version: () => transport.protocolVersion, call };
}

function open2(url: URL, options: Options, kind: McpClient) {
  const client = new Client2(us, { versionNegotiation: { mode: kind === "SDK v2 of 2025" ? "legacy" : "auto" } });
  const transport = new Transport2(url, options);
  const call = (asked: Call, given: CallOptions) => client.callTool(asked, given as object);
  return { client, transport, version: () => client.getNegotiatedProtocolVersion(), call };
}
