import type { Overview } from "@video-to-json/contract/dashboard/account";
import { Check, KeyRound } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import manifest from "../../package.json" with { type: "json" };
import { loadPart } from "../app/load-part.ts";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { CodeBlock } from "../design/display.tsx";
import { Tabs } from "../design/tabs.tsx";
import { snippet } from "../snippets/snippets.ts";
import { firstExample } from "./examples.ts";

const NewKeyDialog = lazy(async () => ({
  default: (await loadPart(() => import("../keys/new-key-dialog.tsx"))).NewKeyDialog,
}));

type FirstStepsProps = { readonly overview: Overview; readonly isNew: boolean };

/** The first steps: create a key, then run this call. */
export function FirstSteps({ overview: { key_count: keyCount, base_url: baseUrl }, isNew }: FirstStepsProps) {
  const [dialog, setDialog] = useState<"never" | "open" | "closed">("never");
  const [language, setLanguage] = useState<"curl" | "typescript" | "python" | "agents">("curl");
  const request = {
    baseUrl,
    video: { kind: "file", name: "video.mp4" },
    schema: firstExample.schema,
    instructions: "",
  } as const;
  const packages = `${baseUrl}/docs/packages`;
  const code = (text: string, label: string) => (
    <div className="card-body">
      <CodeBlock code={text} label={label} />
    </div>
  );
  return (
    <>
      {isNew && (
        <Card>
          <div className="step">
            <span className={keyCount > 0 ? "step-number step-done" : "step-number"} aria-hidden="true">
              {keyCount > 0 ? <Check /> : "1"}
            </span>
            <div>
              <h2>{keyCount > 0 ? "You have an API key" : "Make your first API key"}</h2>
              <p className="muted">
                Programs and agents send it with each request. Keep it on a server or in a shell, never in a browser.
              </p>
            </div>
            <Button variant={keyCount > 0 ? "secondary" : "primary"} onClick={() => setDialog("open")}>
              <KeyRound aria-hidden="true" />
              {keyCount > 0 ? "Make another key" : "Make a key"}
            </Button>
          </div>
        </Card>
      )}
      <Card flush>
        <div className="card-body step">
          {isNew && (
            <span className="step-number" aria-hidden="true">
              2
            </span>
          )}
          <div>
            <h2>{isNew ? "Run this" : "Call the API"}</h2>
            <p className="muted">
              Put the key into <code>VIDEO_TO_JSON_API_KEY</code>. The answer comes on the same connection, for a short
              clip after about half a minute.
            </p>
          </div>
        </div>
        <Tabs
          label="Ways to call the API"
          value={language}
          onChange={setLanguage}
          tabs={[
            { value: "curl", label: "curl", content: code(snippet("curl", request), "curl") },
            {
              value: "typescript",
              label: "TypeScript",
              content: code(
                `// npm install ${packages}/video-to-json-${manifest.version}.tgz\n${snippet("typescript", request)}`,
                "TypeScript",
              ),
            },
            {
              value: "python",
              label: "Python",
              content: code(
                `# pip install ${packages}/video_to_json-${manifest.version}-py3-none-any.whl\n${snippet("python", request)}`,
                "Python",
              ),
            },
            { value: "agents", label: "Agents (MCP)", content: <Agents baseUrl={baseUrl} /> },
          ]}
        />
      </Card>
      {dialog !== "never" && (
        <Suspense>
          <NewKeyDialog open={dialog === "open"} onClose={() => setDialog("closed")} />
        </Suspense>
      )}
    </>
  );
}

function Agents({ baseUrl }: { readonly baseUrl: string }) {
  return (
    <div className="card-body stack">
      {agentConfigurations(baseUrl).map(({ agent, where, code }) => (
        <section key={agent} className="stack-tight">
          <h3 className="agent-name">
            {agent} <span className="muted">{where}</span>
          </h3>
          <CodeBlock code={code} label={`Configuration of ${agent}`} />
        </section>
      ))}
    </div>
  );
}

/** How to connect an agent: its name, where the text belongs, and the text. */
type AgentConfiguration = { readonly agent: string; readonly where: string; readonly code: string };

/** Returns the configurations of the common agents for a service at `baseUrl` (docs/mcp.md). */
function agentConfigurations(baseUrl: string): AgentConfiguration[] {
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
