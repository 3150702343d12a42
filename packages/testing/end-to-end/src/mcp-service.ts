import { readFile } from "node:fs/promises";
import { borrowService } from "@video-to-json/stack/service";
import { serveLocally } from "@video-to-json/testing";
import { bearer } from "./service-facts.ts";

/**
 * Borrows a service, and starts a server that returns its short video for any path, so that calls can have distinct
 * URLs.
 *
 * @param freeSeconds the seconds of the account
 */
export async function borrowMcpService({ freeSeconds }: { freeSeconds?: number } = {}) {
  await using starting = new AsyncDisposableStack();
  const service = starting.use(await borrowService({ freeSeconds }));
  const clip = await readFile(service.video);
  const site = starting.use(await serveLocally((_request, response) => response.end(clip), service.sitePort));
  const parts = starting.move();
  return {
    ...service,
    videoUrl: (name: string) => `${site.url}/${name}.mp4`,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

export type McpService = Awaited<ReturnType<typeof borrowMcpService>>;

/** The result of a tool of `/v1/mcp`: its text, and the JSON in it. */
type ToolAnswer = { text: string; body: { id?: string; extractions?: { id: string }[]; error?: { code: string } } };

/** Calls a tool over HTTP in a form that each protocol version accepts. Returns the status, and the result if there is one. */
export async function callTool(
  { baseUrl, key }: { baseUrl: string; key: string },
  name: "extract" | "recent_extractions",
  args: object,
): Promise<{ status: number; answer: ToolAnswer | undefined }> {
  const response = await fetch(`${baseUrl}/v1/mcp`, {
    method: "POST",
    headers: { ...bearer(key), "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const said = await response.text();
  const last = said.split("\n").findLast((line) => line.startsWith("data: "));
  if (!response.ok || last === undefined) return { status: response.status, answer: undefined };
  const message = JSON.parse(last.slice("data: ".length)) as { result: { content: { text: string }[] } };
  const text = message.result.content[0]?.text ?? "";
  return { status: response.status, answer: { text, body: JSON.parse(text) } };
}
