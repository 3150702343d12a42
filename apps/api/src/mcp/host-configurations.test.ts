import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const document = readFileSync(new URL("../../../../docs/mcp.md", import.meta.url), "utf8");
const url = "https://api.example.com/v1/mcp";
/** How a host's configuration refers to a variable. */
const variable = (name: string) => `\${${name}}`;

/** Returns the code blocks of one language in the section of a host. */
function sectionOf(host: string) {
  const [, section = ""] = document.split(`\n### ${host}\n`);
  const text = section.split(/\n##/)[0] ?? "";
  return {
    text,
    blocks: (language: string) =>
      [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, code = ""]) => code),
  };
}

type Server = {
  type?: string;
  url?: string;
  headers?: Record<string, string>;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
};

test.each([
  [
    "Claude Code",
    "mcpServers",
    { type: "http", url, headers: { Authorization: `Bearer ${variable("VIDEO_TO_JSON_API_KEY")}` } },
  ],
  ["Cursor", "mcpServers", { url, headers: { Authorization: `Bearer ${variable("env:VIDEO_TO_JSON_API_KEY")}` } }],
  [
    "VS Code",
    "servers",
    { type: "http", url, headers: { Authorization: `Bearer ${variable("input:video-to-json-key")}` } },
  ],
])("the configuration of %s is JSON with the endpoint and the header of the key", (host, root, expected) => {
  const configurations = sectionOf(host)
    .blocks("json")
    .map((code) => JSON.parse(code));
  expect(configurations).toEqual([expect.objectContaining({ [root]: { "video-to-json": expected } })]);
});

test("VS Code asks for the input that its header names", () => {
  const [configuration] = sectionOf("VS Code").blocks("json");
  const { inputs } = JSON.parse(configuration ?? "{}") as { inputs: object[] };
  expect(inputs).toEqual([expect.objectContaining({ type: "promptString", id: "video-to-json-key", password: true })]);
});

test("the bridge of Claude Desktop gets the header from an environment variable without a space in its arguments", () => {
  const [configuration] = sectionOf("Claude Desktop").blocks("json");
  const { mcpServers } = JSON.parse(configuration ?? "{}") as { mcpServers: Record<string, Server> };
  const { command, args, env } = mcpServers["video-to-json"] ?? {};
  expect([command, args]).toEqual([
    "npx",
    ["-y", "mcp-remote", url, "--header", `Authorization:${variable("AUTHORIZATION")}`],
  ]);
  expect(env).toEqual({ AUTHORIZATION: expect.stringMatching(/^Bearer v2j_live_/) });
  // Some hosts split an argument at spaces.
  expect(args?.filter((arg) => arg.includes(" "))).toEqual([]);
});

test("the configuration of Codex is TOML with the endpoint, the variable of the key, and a time that a call fits in", () => {
  const [configuration = ""] = sectionOf("Codex").blocks("toml");
  const [table, ...lines] = configuration.trim().split("\n");
  expect(table).toBe("[mcp_servers.video-to-json]");
  // Each line is a bare key with a basic string or an integer. This subset of TOML is also JSON.
  const members = lines.map((line) => /^([a-z_]+) = ("[^"\\]*"|\d+)$/.exec(line));
  expect(members).not.toContain(null);
  const values = Object.fromEntries(members.map((member) => [member?.[1], JSON.parse(member?.[2] ?? "null")]));
  expect(values).toEqual({ url, bearer_token_env_var: "VIDEO_TO_JSON_API_KEY", tool_timeout_sec: 500 });
});

test.each(["Claude Code", "Claude Desktop", "Cursor", "VS Code", "Codex"])(
  "the section of %s says what a wrong key looks like and how long a call may take",
  (host) => {
    expect(sectionOf(host).text).toMatch(/\n- A wrong key: /);
    expect(sectionOf(host).text).toMatch(/\n- How long a call may take: /);
  },
);

test("each host of the page has a line that starts the server for local files with the same folder", () => {
  const { text, blocks } = sectionOf("Files on your computer");
  const { mcpServers } = JSON.parse(blocks("json")[0] ?? "{}") as { mcpServers: Record<string, Server> };
  expect(mcpServers["video-to-json"]).toEqual({
    command: "video-to-json",
    args: ["mcp", "--allow", "/home/ada/Videos"],
  });
  const [, added = "{}"] = /code --add-mcp '(.+)'/.exec(text) ?? [];
  expect(JSON.parse(added)).toEqual({ name: "video-to-json", ...mcpServers["video-to-json"] });
  for (const host of ["Claude Code", "Claude Desktop", "Cursor", "VS Code", "Codex"]) {
    expect(text).toMatch(new RegExp(`\\| ${host} \\| .*(?:video-to-json mcp --allow|the block below|"mcp","--allow")`));
  }
});
