import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits } from "@video-to-json/contract";
import { expect, onTestFinished, test } from "vitest";
import { addressOf } from "../telemetry/dependencies/watch-dependencies.ts";
import { configurationDocument, envExample } from "./documentation.ts";
import { limitSettings, limitsOf, providerSettings, readSettings } from "./read-settings.ts";
import { readRedisAddress } from "./redis-address.ts";

test("all invalid settings are listed at once, without secrets", () => {
  const env = { PORT: "eighty", DATABASE_URL: "mysql://user:hunter2@host/db", FETCH_ALLOW_HOSTS: "nohost" };
  const read = () => readSettings(env, ["PORT", "DATABASE_URL", "FETCH_ALLOW_HOSTS", "REDIS_URL", "HOST"]);
  expect(read).toThrow(/PORT[\s\S]*DATABASE_URL[\s\S]*FETCH_ALLOW_HOSTS[\s\S]*REDIS_URL: is required/);
  expect(read).not.toThrow(/hunter2/);
});

test.each([
  ["DATABASE_URL", "postgres://user:hunter2@one,two/db?target_session_attrs=primary", "names several hosts"],
  ["REDIS_URL", "redis://:hunter2@one:6379,two:6379", "names several hosts"],
  ["REDIS_URL", "redis+cluster://:hunter2@one:6379", "names a Redis Cluster, which is not supported"],
  ["REDIS_URL", "redis+sentinel://:hunter2@one:26379", "names no primary"],
  ["REDIS_URL", "redis+sentinel://:hunter2@one:26379,two:x/name", "has a host that cannot be read"],
  ["REDIS_URL", "redis://:hunter2@one/name", "has a path that is not the number of a database"],
  [
    "REDIS_URL",
    "redis://one?sentinel-password=hunter2",
    'has "sentinel-password", which this service does not support',
  ],
  ["REDIS_URL", "redis://:hunter2@one?ca=/ca.pem", "begin it with rediss"],
  ["REDIS_URL", "rediss://:hunter2@one?ca=/none.pem", "cannot be read, or holds no certificate: /none.pem"],
  ["REDIS_URL", "rediss://:hunter2@one?ca=/dev/null", "cannot be read, or holds no certificate: /dev/null"],
  ["REDIS_URL", "http://:hunter2@one", "not a URL that starts with redis://"],
  ["REDIS_URL", "redis://:hunter2#x@one", "has a host that cannot be read"],
] as const)("a wrong %s is refused with the reason, without its password (%s)", (name, url, reason) => {
  const read = () => readSettings({ [name]: url }, [name]);
  expect(read).toThrow(`${name}: `);
  expect(read).toThrow(reason);
  expect(read).not.toThrow(/hunter2/);
});

test("the address of Sentinel names several hosts, the primary, two passwords and a database", () => {
  const url = "redis+sentinel://app:a%40b@one,[::1]:7000/main/2?sentinel-password=s%2Bt&prefix=other";
  expect(readRedisAddress(url)).toMatchObject({
    hosts: [
      { host: "one", port: 26_379 },
      { host: "::1", port: 7000 },
    ],
    ...{ primary: "main", username: "app", password: "a@b", sentinelPassword: "s+t" },
    ...{ database: 2, isEncrypted: false, prefix: "other" },
  });
  expect(addressOf(url)).toBe("main of one,[::1]:7000");
});

test("NAME_FILE names a file with the value of NAME, and a file that cannot be read is named", () => {
  const directory = mkdtempSync(join(tmpdir(), "settings-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "key");
  writeFileSync(path, "secret-1\n");
  const read = (env: Record<string, string>) => readSettings(env, ["GEMINI_API_KEY"]).GEMINI_API_KEY;
  expect(read({ GEMINI_API_KEY_FILE: path })).toBe("secret-1");
  expect(read({ GEMINI_API_KEY: "secret-2", GEMINI_API_KEY_FILE: path })).toBe("secret-2");
  expect(() => read({ GEMINI_API_KEY_FILE: `${path}s` })).toThrow(
    `GEMINI_API_KEY_FILE: cannot be read (ENOENT): ${path}s`,
  );
});

test.each([
  ["gemini", ["GEMINI_API_KEY"]],
  ["chat", ["CHAT_BASE_URL", "CHAT_MODEL"]],
])("of the settings of the providers, only those of the chosen one are required (%s)", (PROVIDER, required) => {
  const read = (env: Record<string, string>) => readSettings({ PROVIDER, ...env }, providerSettings);
  for (const name of required) expect(() => read({})).toThrow(`${name}: is required`);
  expect(() => read({})).toThrow(`${required.length} setting`);
  const given = { GEMINI_API_KEY: "key", CHAT_BASE_URL: "http://vllm:8000/v1", CHAT_MODEL: "Qwen/Qwen3-VL:8b" };
  expect(read(Object.fromEntries(Object.entries(given).filter(([name]) => required.includes(name)))).PROVIDER).toBe(
    PROVIDER,
  );
});

test("further members of a request are a JSON object, and a price is above 0", () => {
  const read = (env: Record<string, string>) => readSettings({ GEMINI_API_KEY: "key", ...env }, providerSettings);
  expect(read({ CHAT_EXTRA_BODY: '{"seed":1}' }).CHAT_EXTRA_BODY).toEqual({ seed: 1 });
  expect(read({ CHAT_USD_PER_MILLION: "1/2" }).CHAT_USD_PER_MILLION).toEqual({ input: 1, output: 2, cached: 1 });
  expect(() => read({ CHAT_EXTRA_BODY: "[1]", CHAT_USD_PER_MILLION: "0/1" })).toThrow(
    /EXTRA_BODY[\s\S]*USD_PER_MILLION/,
  );
});

test("an empty value counts as not set, and the default applies", () => {
  expect(readSettings({ PORT: "", PUBLIC_URL: "" }, ["PORT", "PUBLIC_URL"])).toEqual({
    PORT: 3000,
    PUBLIC_URL: [],
  });
});

test("host:port pairs are read as a list", () => {
  const { FETCH_ALLOW_HOSTS } = readSettings({ FETCH_ALLOW_HOSTS: "127.0.0.1:80, Media.internal:8443,[::1]:9" }, [
    "FETCH_ALLOW_HOSTS",
  ]);
  expect(FETCH_ALLOW_HOSTS).toEqual(["127.0.0.1:80", "media.internal:8443", "[::1]:9"]);
});

test("the limits have their defaults unless the environment sets them", () => {
  expect(limitsOf(readSettings({}, limitSettings))).toEqual(defaultLimits);
  expect(limitsOf(readSettings({ MAX_VIDEO_SECONDS: "30" }, limitSettings)).maxVideoSeconds).toBe(30);
});

test("settings that contradict each other or the service are refused", () => {
  const orphan = () => readSettings({ ORPHAN_UPLOAD_SECONDS: "300" }, ["ORPHAN_UPLOAD_SECONDS"]);
  expect(orphan).toThrow(/ORPHAN_UPLOAD_SECONDS: "300" is not a whole number from 330/);
  const limits = () => limitsOf(readSettings({ IDEMPOTENCY_HOURS: "1", JOB_TIMEOUT_SECONDS: "3601" }, limitSettings));
  expect(limits).toThrow(/IDEMPOTENCY_HOURS: is shorter than JOB_TIMEOUT_SECONDS/);
});

test("prices and options of single models are read, and anything else is refused", () => {
  const options = ["GEMINI_LIMITS", "GEMINI_THINKING_LEVEL", "GEMINI_CLIP_RESOLUTION"] as const;
  const names = ["GEMINI_USD_PER_MILLION", "GEMINI_MODEL", ...options] as const;
  const read = (env: Record<string, string>) => readSettings(env, names);
  const right = {
    GEMINI_USD_PER_MILLION: "a-1=0.10/0.40, b.2=1.25/10/0.125",
    GEMINI_LIMITS: "a-1=60/250000,b.2=10/1000/500/10",
    GEMINI_THINKING_LEVEL: "b.2=LOW",
    GEMINI_CLIP_RESOLUTION: "a-1=HIGH",
    GEMINI_MODEL: "a-1, b.2",
  };
  expect(read(right)).toEqual({
    GEMINI_USD_PER_MILLION: {
      "a-1": { input: 0.1, output: 0.4, cached: 0.1 },
      "b.2": { input: 1.25, output: 10, cached: 0.125 },
    },
    GEMINI_LIMITS: {
      "a-1": { questions: 60, tokens: 250_000 },
      "b.2": { questions: 10, tokens: 1000, questionsADay: 500, dollarsInTenMinutes: 10 },
    },
    GEMINI_THINKING_LEVEL: { "b.2": "LOW" },
    GEMINI_CLIP_RESOLUTION: { "a-1": "MEDIA_RESOLUTION_HIGH" },
    GEMINI_MODEL: ["a-1", "b.2"],
  });
  for (const text of ["1,2,3,4", "a=1", "a=1/2/3/4", "a=1/-2", "a=1/x", "=1/2", "a=1/1e9"]) {
    expect(() => read({ GEMINI_USD_PER_MILLION: text })).toThrow("input/output");
  }
  expect(() => read({ GEMINI_THINKING_LEVEL: "a=SOME" })).toThrow("MINIMAL, LOW, MEDIUM or HIGH");
  expect(() => read({ GEMINI_MODEL: "a,,b" })).toThrow("is not letters");
});

test("headers for a gateway are read, and an error names none of their values", () => {
  const read = (text: string) => readSettings({ GEMINI_HEADERS: text }, ["GEMINI_HEADERS"]).GEMINI_HEADERS;
  expect(read("X-Key=abc=1, authorization=Bearer%20a%2Cb")).toEqual({ "x-key": "abc=1", authorization: "Bearer a,b" });
  for (const text of [
    "secret-9",
    "x=secret-9%0Ab",
    "x=secret-9%",
    "x-goog-api-key=secret-9",
    "content-length=secret-9",
  ]) {
    expect(() => read(text)).toThrow(/^(?!.*secret-9).*GEMINI_HEADERS/s);
  }
});

test("docs/configuration.md matches the declaration", async () => {
  await expect(configurationDocument()).toMatchFileSnapshot("../../../../docs/configuration.md");
});

test("infra/.env.example matches the declaration", async () => {
  await expect(envExample()).toMatchFileSnapshot("../../../../infra/.env.example");
});
