import { type Db, findAnyJob, type JobRow, listJobs } from "@video-to-json/database";

/** The two wire formats of the protocol: before 2026-07-28, and since. */
export const eras = ["legacy", "modern"] as const;
export type Era = (typeof eras)[number];

type Target = {
  url: string;
  headers: Record<string, string>;
  era: Era;
  signal?: AbortSignal | undefined;
  meta?: object;
};
type ToolResult = {
  content: { text: string }[];
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  _meta?: {
    "video-to-json/error"?: { code: string; retryable: boolean };
    "video-to-json/job"?: { id: string };
    "video-to-json/replayed"?: boolean;
  };
};

/** Calls a tool with arguments as text, so that tests control how they are written. */
export async function callTool(target: Target, name: string, argumentsText: string) {
  const modern = target.era === "modern";
  const response = await fetch(`${target.url}/v1/mcp`, {
    method: "POST",
    headers: {
      ...target.headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(modern && { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name }),
    },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${argumentsText},"_meta":${metaOf(target)}}}`,
    signal: target.signal ?? null,
  });
  const text = await response.text();
  const last = text.split("\n").findLast((line) => line.startsWith("data: "));
  const { result } = JSON.parse(last?.slice("data: ".length) ?? "{}") as { result?: ToolResult };
  return {
    status: response.status,
    jobId: response.headers.get("job-id"),
    text,
    result,
    code: result?._meta?.["video-to-json/error"]?.code,
  };
}

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function metaOf({ era, meta }: Target): string {
  return JSON.stringify({ ...(era === "modern" && envelope), ...meta });
}

/** Returns the whole rows of an account's newest jobs, newest first. */
export async function allJobs(db: Db, accountId: string): Promise<JobRow[]> {
  const listed = await listJobs(db, { accountId, limit: 10, maxDataBytes: 0 });
  const rows = await Promise.all(listed.map(({ id }) => findAnyJob(db, id)));
  return rows.filter((row) => row !== undefined);
}
