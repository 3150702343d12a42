/** How to connect an agent: its name, where the text belongs, and the text. */
export type AgentConfiguration = { readonly agent: string; readonly where: string; readonly code: string };

/** Returns the configurations of the common agents for a service at `baseUrl` (docs/mcp.md). */
export function agentConfigurations(baseUrl: string): AgentConfiguration[] {
  const url = `${baseUrl}/v1/mcp`;
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return [
    {
      agent: "Claude Code",
      where: "In a shell",
      code: `claude mcp add --transport http video-to-json ${url} \\\n  --header "Authorization: Bearer $VIDEO_TO_JSON_API_KEY"`,
    },
    {
      agent: "Cursor",
      where: "In ~/.cursor/mcp.json",
      code: json({
        mcpServers: {
          "video-to-json": { url, headers: { Authorization: `Bearer ${placeholder("env:VIDEO_TO_JSON_API_KEY")}` } },
        },
      }),
    },
    {
      agent: "VS Code",
      where: "In .vscode/mcp.json",
      code: json({
        inputs: [{ type: "promptString", id: "video-to-json-key", description: "API key", password: true }],
        servers: {
          "video-to-json": {
            type: "http",
            url,
            headers: { Authorization: `Bearer ${placeholder("input:video-to-json-key")}` },
          },
        },
      }),
    },
  ];
}

/** A placeholder that the agent fills in. */
function placeholder(name: string): string {
  return `$\{${name}}`;
}
