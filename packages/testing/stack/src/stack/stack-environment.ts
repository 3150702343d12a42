import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { compileCache, type Environment, freePort } from "@video-to-json/testing";

/** The variables of an environment that say something: an empty one counts as none. */
export function given(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** Where the far ends of a stack are. */
export type FarEnds = { databaseUrl: string; redisUrl: string; emulatorUrl: string | undefined };

// As the image has it (docs/operating.md, "Memory").
const sparing = {
  NODE_OPTIONS: "--max-semi-space-size=8",
  MALLOC_ARENA_MAX: "2",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** The environment of every process of a stack, the caller's settings over the stack's own. */
export function sharedEnvironment(dataDir: string, farEnds: FarEnds, env: Environment): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    ...compileCache(),
    DATABASE_URL: farEnds.databaseUrl,
    REDIS_URL: farEnds.redisUrl,
    STORAGE_URL: pathToFileURL(join(dataDir, "storage")).href,
    SCRATCH_DIR: join(dataDir, "scratch"),
    GEMINI_API_KEY: "key-for-the-emulator",
    // Nobody spreads requests over these APIs who would have to be told first.
    DRAIN_SECONDS: "0",
    ...sparing,
    ...(farEnds.emulatorUrl ? { GEMINI_BASE_URL: farEnds.emulatorUrl } : {}),
    ...given(env),
  };
}

/** Where one API or worker listens, as its settings and as addresses. */
export type Listeners = { settings: Record<string, string>; url: string; metricsUrl: string };

/**
 * Where the API or worker of an index (0, 1, …) listens: on free ports or, where the caller's environment names PORT or
 * METRICS_PORT, on that port and those that follow it.
 */
export async function listenersOf(env: Environment, index: number, metricsIndex: number): Promise<Listeners> {
  const port = await portFrom(env.PORT, index);
  const metricsPort = await portFrom(env.METRICS_PORT, metricsIndex);
  return {
    settings: { PORT: String(port), METRICS_PORT: String(metricsPort) },
    url: `http://${reachable(env.HOST)}:${port}`,
    metricsUrl: `http://${reachable(env.METRICS_HOST)}:${metricsPort}`,
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
