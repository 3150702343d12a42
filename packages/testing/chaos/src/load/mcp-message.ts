import { type Extra, valueOfExtra } from "./call.ts";

/** The versions of MCP that the API serves. In the last one, closing the stream of a call cancels the call. */
export const mcpVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** One version of MCP. */
export type McpVersion = (typeof mcpVersions)[number];

/** Returns whether a client of this version cancels its call by closing the connection. */
export function closingCancels(version: McpVersion): boolean {
  return version === "2026-07-28";
}

/** Returns the headers and the body of a call of the tool `extract`. `args` is JSON text. */
export function mcpMessage(
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
