import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { listenersOf, sharedEnvironment } from "./stack-environment.ts";

const dependencies = { databaseUrl: "postgres://own/db", redisUrl: "redis://own", emulatorUrl: "http://127.0.0.1:1" };

test("the stack sets what its processes need", () => {
  expect(sharedEnvironment("/data dir", dependencies, {})).toMatchObject({
    DATABASE_URL: "postgres://own/db",
    REDIS_URL: "redis://own",
    GEMINI_BASE_URL: "http://127.0.0.1:1",
    STORAGE_URL: "file:///data%20dir/storage",
    SCRATCH_DIR: "/data dir/scratch",
  });
});

test("a setting of the environment overrides that of the stack, an empty one does not", () => {
  const env = sharedEnvironment("/data", dependencies, {
    STORAGE_URL: "file:///mine",
    SCRATCH_DIR: "",
    MAX_VIDEO_SECONDS: "6",
  });
  expect(env).toMatchObject({ STORAGE_URL: "file:///mine", SCRATCH_DIR: "/data/scratch", MAX_VIDEO_SECONDS: "6" });
});

test("processes have the memory settings of the image", () => {
  const { NODE_OPTIONS, MALLOC_ARENA_MAX, MALLOC_TRIM_THRESHOLD_ } = sharedEnvironment("/data", dependencies, {});
  const image = readFileSync(join(repositoryRoot, "infra/docker/Dockerfile"), "utf8");
  expect(image).toContain(
    `ENV NODE_OPTIONS="${NODE_OPTIONS}" MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX} MALLOC_TRIM_THRESHOLD_=${MALLOC_TRIM_THRESHOLD_}\n`,
  );
});

test("the real provider is used when there is no emulator", () => {
  const env = sharedEnvironment("/data", { ...dependencies, emulatorUrl: undefined }, { GEMINI_API_KEY: "mine" });
  expect(env.GEMINI_API_KEY).toBe("mine");
  expect(env).not.toHaveProperty("GEMINI_BASE_URL");
});

test("processes listen on separate ports, also where the environment names the first", async () => {
  const env = { PORT: "8080", METRICS_PORT: "9100" };
  const [first, second] = await Promise.all([listenersOf(env, 0, 0), listenersOf(env, 1, 1)]);
  expect([first.url, second.url]).toEqual(["http://127.0.0.1:8080", "http://127.0.0.1:8081"]);
  expect([first.metricsUrl, second.settings.METRICS_PORT]).toEqual(["http://127.0.0.1:9100", "9101"]);
  const [a, b] = await Promise.all([listenersOf({}, 0, 0), listenersOf({ PORT: "0" }, 1, 1)]);
  expect(new Set([a.url, a.metricsUrl, b.url, b.metricsUrl]).size).toBe(4);
});

test("the URL of a process has its address, or 127.0.0.1 when it listens on all addresses", async () => {
  expect((await listenersOf({ PORT: "1", HOST: "0.0.0.0" }, 0, 0)).url).toBe("http://127.0.0.1:1");
  expect((await listenersOf({ PORT: "1", HOST: "::1" }, 0, 0)).url).toBe("http://[::1]:1");
});
