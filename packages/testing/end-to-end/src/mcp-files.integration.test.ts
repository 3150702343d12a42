import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Transport2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { borrowService } from "@video-to-json/stack/service";
import { mainOf } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type McpClient, mcpClients, type Progress, type ToolResult } from "./mcp-clients.ts";

let service: Awaited<ReturnType<typeof borrowService>>;
let home: string;
beforeAll(async () => {
  service = await borrowService();
  home = await mkdtemp(join(tmpdir(), "v2j-mcp-"));
  await mkdir(join(home, "videos"));
  await copyFile(service.video, join(home, "videos", "inside.mp4"));
  await copyFile(service.video, join(home, "outside.mp4"));
  await symlink(join(home, "outside.mp4"), join(home, "videos", "link.mp4"));
  await mkdir(join(home, "videos-of-others"));
  await copyFile(service.video, join(home, "videos-of-others", "other.mp4"));
});
afterAll(async () => {
  await rm(home, { recursive: true });
  await service[Symbol.asyncDispose]();
});

const program = () => ({
  command: process.execPath,
  args: [mainOf("cli"), "mcp", "--allow", join(home, "videos")],
  env: { HOME: home, VIDEO_TO_JSON_URL: service.baseUrl, VIDEO_TO_JSON_API_KEY: service.apiKey },
});

const us = { name: "test", version: "1.0.0" };

async function connect(kind: McpClient) {
  if (kind === "SDK v1") {
    const client = new Client1(us);
    await client.connect(new Transport1(program()));
    return client;
  }
  const client = new Client2(us, { versionNegotiation: { mode: kind === "SDK v2 of 2025" ? "legacy" : "auto" } });
  await client.connect(new Transport2(program()));
  return client as unknown as Client1;
}

const schema = '{"main_color":"red|green|blue"}';

test.each(mcpClients)(
  "%s sends a file of an allowed folder, sees its progress, and no other file leaves",
  async (kind) => {
    const client = await connect(kind);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["extract", "recent_extractions"]);
    expect(tools[0]?.inputSchema).toMatchObject({
      properties: { video_path: {}, video_url: {} },
      required: ["schema"],
    });

    const seen: Progress[] = [];
    const call = (video_path: string, more: object = {}) => {
      const asked = { name: "extract", arguments: { video_path, schema, ...more } };
      const options = { onprogress: (progress: Progress) => seen.push(progress) } as never;
      return client.callTool(asked, ...(kind === "SDK v1" ? [undefined, options] : [options])) as Promise<ToolResult>;
    };
    const before = await service.secondsRemaining();
    const instructions = `For ${kind}`;
    const answer = await call("inside.mp4", { instructions });
    expect(answer.structuredContent).toEqual(JSON.parse(answer.content[0]?.text ?? ""));
    expect(answer.structuredContent).toMatchObject({ billed_seconds: 60, data: { main_color: expect.any(String) } });
    expect(seen.map(({ message }) => message).join("\n")).toMatch(
      /Uploading inside\.mp4 .*100 %[\s\S]*Job \S+ is admitted/,
    );
    // The same call again costs nothing.
    const again = await call(join(home, "videos", "inside.mp4"), { instructions });
    expect(again.structuredContent).toEqual(answer.structuredContent);
    expect(await service.secondsRemaining()).toBe(before - 60);

    for (const path of [
      "../outside.mp4",
      "link.mp4",
      join(home, "videos-of-others", "other.mp4"),
      "/etc/passwd",
      "no.mp4",
      ".",
    ]) {
      const refused = await call(path);
      expect([path, refused.isError, refused.content[0]?.text]).toEqual([
        path,
        true,
        expect.stringContaining("is not a file below"),
      ]);
    }
    const misspelt = await call("inside.mp4", { clips: { end: "00:01" } });
    expect(misspelt.content[0]?.text).toContain("clips: not an argument");
    const wrong = await call("inside.mp4", { schema: '{"a":"string[]"}' });
    expect(wrong._meta?.["video-to-json/error"]).toEqual({ code: "schema_invalid", retryable: false });
    const { structuredContent } = (await client.callTool({ name: "recent_extractions", arguments: {} })) as ToolResult;
    expect(structuredContent).toMatchObject({
      extractions: expect.arrayContaining([expect.objectContaining({ id: answer.structuredContent?.id })]),
    });
    expect(await service.secondsRemaining()).toBe(before - 60);
    await client.close();
  },
);

test("the numbers of a sketch reach the service as they are written, and the server ends with its input", async () => {
  const { command, args, env } = program();
  const server = spawn(command, args, { env });
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
  const ask = async (id: number, given: string) => {
    const params = `{"name":"extract","arguments":{"schema":{"share":0.0,"count":0},${given}}}`;
    server.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`);
    return JSON.parse(String((await lines.next()).value)) as { id: number; result: ToolResult };
  };
  const { id, result } = await ask(7, '"video_path":"inside.mp4"');
  expect(id).toBe(7);
  const record = await service.read(`/v1/jobs/${result.structuredContent?.id}`);
  expect(record.text).toContain('"schema":{"share":0.0,"count":0}');
  // The service answers the rest.
  const near = await ask(8, '"video_url":"no-address"');
  expect(near.result._meta?.["video-to-json/error"]).toMatchObject({ code: "invalid_request" });
  server.stdin.end();
  expect(await once(server, "close")).toEqual([0, null]);
});
