import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { compileCache, type Environment, ffmpegDirectory, freePort } from "@video-to-json/testing";

/** Returns the variables of an environment that are not empty. */
export function nonEmpty(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** The URLs of the dependencies of a stack. */
export type Dependencies = { databaseUrl: string; redisUrl: string; emulatorUrl: string | undefined };

// The settings of the image (docs/capacity.md, "Memory").
const memorySettings = {
  NODE_OPTIONS: "--max-semi-space-size=8 --max-old-space-size=1024",
  MALLOC_ARENA_MAX: "2",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** Returns the environment of each process of a stack. `env` overrides the settings of the stack. */
export function sharedEnvironment(
  dataDir: string,
  dependencies: Dependencies,
  env: Environment,
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    ...(ffmpegDirectory ? { FFMPEG_DIRECTORY: ffmpegDirectory } : {}),
    ...compileCache(),
    DATABASE_URL: dependencies.databaseUrl,
    REDIS_URL: dependencies.redisUrl,
    STORAGE_URL: pathToFileURL(join(dataDir, "storage")).href,
    SCRATCH_DIR: join(dataDir, "scratch"),
    GEMINI_API_KEY: "key-for-the-emulator",
    // A stack on this machine is for videos of its own user.
    ALLOW_FREE_TIER: "on",
    // There is no load balancer that must see a failing readiness check first.
    DRAIN_SECONDS: "0",
    ...memorySettings,
    ...(dependencies.emulatorUrl ? { GEMINI_BASE_URL: dependencies.emulatorUrl } : {}),
    ...nonEmpty(env),
  };
}

/** The ports of one API or worker, as settings and as URLs. */
export type Listeners = { settings: Record<string, string>; url: string; metricsUrl: string };

/** Returns free ports or, if the environment names PORT or METRICS_PORT, that port plus the index. */
export async function listenersOf(env: Environment, index: number, metricsIndex: number): Promise<Listeners> {
  const port = await portFrom(env.PORT, index);
  const metricsPort = await portFrom(env.METRICS_PORT, metricsIndex);
  return {
    settings: { PORT: String(port), METRICS_PORT: String(metricsPort) },
    url: `http://${reachable(env.HOST)}:${port}`,
    metricsUrl: `http://${reachable(env.HOST)}:${metricsPort}`,
  };
}

async function portFrom(setting: string | undefined, index: number): Promise<number> {
  const first = Number(setting);
  return first > 0 ? first + index : freePort();
}

function reachable(host: string | undefined): string {
  if (!host || host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
