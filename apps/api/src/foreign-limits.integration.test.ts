import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { limitSettings, limitsOf, readSettings } from "@video-to-json/runtime/settings";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "./api.harness.ts";

const limits = limitsOf(
  readSettings(
    {
      MAX_VIDEO_SECONDS: "900",
      MAX_UPLOAD_BYTES: "1073741824",
      MINIMUM_BILLED_SECONDS: "30",
      IDEMPOTENCY_HOURS: "2",
      JOB_TIMEOUT_SECONDS: "900",
    },
    limitSettings,
  ),
);

// The default figures of the limits that this service has set anew, as texts may write them.
const oldFigures =
  /\b(?:600 s|10 minutes|ten minutes|ten-minute|512 M(?:i?B|ebibytes)|536870912|24 ?h\b|24 hours|480 s|480 seconds|8 minutes|eight minutes|60 s at least|at least 60 s|60 seconds at least|at least 60 seconds|a minute at least|at least a minute)/gi;

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi(limits);
});
afterAll(() => api[Symbol.asyncDispose]());

const textOf = async (path: string, init?: RequestInit) => (await fetch(api.url + path, init)).text();

test("no text that a service serves has a figure of the default limits", async () => {
  const { headers } = await api.newCaller("limits@example.com");
  const pages = new Map([["/v1/openapi.json", await textOf("/v1/openapi.json", { headers })]]);
  const open = ["/docs"];
  for (const path of open) {
    if (pages.has(path)) continue;
    const text = await textOf(path);
    pages.set(path, text);
    const links = [...text.matchAll(/href="([^"#]+\.md)/g)].map(([, link = ""]) => new URL(link, api.url + path));
    open.push(...links.filter(({ origin }) => origin === api.url).map(({ pathname }) => pathname));
  }
  expect(pages.size).toBeGreaterThan(10);
  for (const method of ["tools/list", "initialize"]) {
    const params =
      method === "initialize"
        ? { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
        : {};
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const accept = "application/json, text/event-stream";
    const init = { method: "POST", headers: { ...headers, "content-type": "application/json", accept }, body };
    pages.set(method, await textOf("/v1/mcp", init));
  }
  expect(pages.get("tools/list")).toContain("900 s");
  expect(pages.get("/docs/guides/limits.md")).toContain("15 minutes");
  expect(pages.get("/v1/openapi.json")).toMatch(/1 GiB[\s\S]*2 h/);
  for (const [path, text] of pages) expect([path, text.match(oldFigures)]).toEqual([path, null]);
});

test("no client has a figure of a limit in its code", () => {
  const root = join(import.meta.dirname, "../../..");
  const patterns = ["apps/cli/src/**/*.ts", "apps/dashboard/src/**/*.{ts,tsx}", "packages/sdk/src/**/*.ts"];
  const files = globSync([...patterns, "packages/sdk-python/src/**/*.py"], { cwd: root });
  expect(files.length).toBeGreaterThan(100);
  const found = files
    .filter((file) => !/\.test\.|\/testing\//.test(file))
    .flatMap((file) =>
      (readFileSync(join(root, file), "utf8").match(oldFigures) ?? []).map((text) => `${file}: ${text}`),
    );
  expect(found).toEqual([]);
});
