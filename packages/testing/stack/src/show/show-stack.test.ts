import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlLine, stackLine, stackTable } from "./show-stack.ts";

const record = {
  processes: [
    { name: "postgres", pid: 11, startTime: "1" },
    { name: "worker-1", pid: 12, startTime: "2", readyUrl: "http://127.0.0.1:2/readyz" },
  ],
  stack: {
    baseUrl: "http://127.0.0.1:1",
    apiUrls: ["http://127.0.0.1:1"],
    apiKey: "v2j_live_secret",
    accountEmail: "stack@example.com",
    databaseUrl: "postgres://a/b",
    redisUrl: "redis://a",
    emulatorUrl: undefined,
    metricsUrls: ["http://127.0.0.1:2"],
    storageDir: "/data/storage",
  },
};

test("programs get the stack as one line of JSON with documented names", () => {
  const line = stackLine(record);
  expect(line).not.toContain("\n");
  expect(JSON.parse(line)).toEqual({
    base_url: "http://127.0.0.1:1",
    api_urls: ["http://127.0.0.1:1"],
    api_key: "v2j_live_secret",
    account_email: "stack@example.com",
    sign_in_url: null,
    database_url: "postgres://a/b",
    redis_url: "redis://a",
    emulator_url: null,
    metrics_urls: ["http://127.0.0.1:2/metrics"],
    storage_dir: "/data/storage",
    pids: { postgres: 11, "worker-1": 12 },
  });
});

test("the table of a stack shows its address, its key and an example call", () => {
  expect(stackTable(record)).toMatch(/http:\/\/127\.0\.0\.1:1[\s\S]*v2j_live_secret[\s\S]*curl /);
});

test("the shell passes the schema of the curl line unchanged, quotes included", () => {
  const schema = '{"it\'s":"string -- $HOME `x`"}';
  const line = curlLine(record.stack, "clip.mp4", schema).replace("curl", "printf '%s\\n'");
  expect(execFileSync("sh", ["-c", line], { encoding: "utf8" })).toContain(`schema=${schema}\n`);
});
