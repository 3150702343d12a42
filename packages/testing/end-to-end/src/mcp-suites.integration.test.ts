import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { runsAllTests } from "@video-to-json/testing/running";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { borrowMcpService, type McpService } from "./mcp-service.ts";

let service: McpService;
let home: string;
let endpoint: string;
beforeAll(async () => {
  service = await borrowMcpService();
  home = await mkdtemp(join(tmpdir(), "v2j-mcp-suites-"));
  // The suite checks the protection against foreign host names only at an address named localhost.
  endpoint = `${service.baseUrl.replace("127.0.0.1", "localhost")}/v1/mcp`;
});
afterAll(async () => {
  await rm(home, { recursive: true, force: true });
  await service[Symbol.asyncDispose]();
});

type Ended = { code: number | string; out: string; err: string };

function run(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const options = { env: { PATH: process.env.PATH, HOME: home, ...env }, cwd: home, timeout: 150_000 };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const code = error ? (error.code ?? error.signal ?? "killed") : 0;
      resolve({ code, out: stripVTControlCharacters(stdout), err: stripVTControlCharacters(stderr) });
    });
  });
}

describe("the conformance suite", () => {
  const suites = [
    {
      version: "2025-11-25",
      suite: import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"),
      args: [],
      pass: ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
    },
    {
      version: "2026-07-28",
      suite: import.meta.resolve("conformance-2026/dist/index.js"),
      args: ["--spec-version", "2026-07-28"],
      pass: ["server-stateless", "tools-list", "http-header-validation", "caching", "dns-rebinding-protection"],
    },
  ];
  const sendKey = new URL("./send-key.ts", import.meta.url).href;

  test.for(suites)(
    "finds only the failures of $version that the baseline names",
    async ({ version, suite, ...more }) => {
      const baseline = fileURLToPath(new URL(`./mcp-baselines/${version}.yml`, import.meta.url));
      const asked = ["server", "--url", endpoint, "--suite", "all", "--expected-failures", baseline, ...more.args];
      const args = ["--import", sendKey, fileURLToPath(suite), ...asked, "--output-dir", home];
      const { code, out, err } = await run(args, { MCP_AUTHORIZATION: `Bearer ${service.apiKey}` });
      const [, summary = `${out}\n${err}`] = out.split("=== SUMMARY ===");
      const news = summary.replace(/Expected failures[\s\S]*?\n\n/, "");
      expect(code, `${news}\n${err}`).toBe(0);
      for (const scenario of more.pass) {
        expect(summary, `${scenario} found something to check`).toMatch(new RegExp(`. ${scenario}: [1-9]\\d* passed`));
      }
    },
  );
});

describe.for(runsAllTests ? ["legacy", "modern"] : ["modern"])("the Inspector's command line, %s", (era) => {
  const inspector = import.meta.resolve("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const inspect = (authorization: string | undefined, ...args: string[]) => {
    const header = authorization === undefined ? [] : ["--header", `Authorization: Bearer ${authorization}`];
    const target = [endpoint, "--transport", "http", "--protocol-era", era, "--stored-auth-only"];
    return run([fileURLToPath(inspector), "--cli", ...target, ...header, "--format", "json", ...args]);
  };
  const extract = (args: object) => {
    const call = ["--method", "tools/call", "--tool-name", "extract"];
    return inspect(service.apiKey, ...call, "--tool-args-json", JSON.stringify(args));
  };

  test("accepts the schemas of the tools in strict mode", async () => {
    const { code, out, err } = await inspect(service.apiKey, "--strict", "--method", "tools/list");
    expect([code, err]).toEqual([0, ""]);
    const { result } = JSON.parse(out) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toEqual(["extract", "recent_extractions"]);
  });

  test("gets an extraction that fits the output schema", async () => {
    const schema = { main_color: "red|green|blue" };
    const { code, out, err } = await extract({ video_url: service.videoUrl("clip"), schema });
    expect(code, err).toBe(0);
    const { result } = JSON.parse(out) as { result: { structuredContent: object; content: { text: string }[] } };
    expect(result.structuredContent).toMatchObject({ data: { main_color: "red" }, billed_seconds: 60 });
    expect(JSON.parse(result.content[0]?.text ?? "")).toEqual(result.structuredContent);
  });

  test.runIf(runsAllTests)("exits with an error code when a tool fails, and prints the code of the error", async () => {
    const { code, out } = await extract({ schema: { main_color: "red|green|blue" } });
    expect(code).toBe(5);
    expect(JSON.parse(out)).toMatchObject({
      result: { isError: true, _meta: { "video-to-json/error": { code: "video_missing", retryable: false } } },
    });
  });

  const wrong = runsAllTests ? [["v2j_live_wrong"], [undefined]] : [[undefined]];
  test.for(wrong)("gets an error that asks for a key when it has %s", async ([key]) => {
    const { code, err } = await inspect(key, "--method", "tools/list");
    expect(code).toBe(3);
    expect(JSON.parse(err)).toMatchObject({ error: { code: "auth_required" } });
  });
});
