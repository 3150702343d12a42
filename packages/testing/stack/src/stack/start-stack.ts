import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  mainOf,
  type RunningProcess,
  type ServerOptions,
  startEmulator,
  startPostgres,
  startProcess,
  startRedis,
  untilReady,
} from "@video-to-json/testing";
import type { Stack, StackOptions, StackPart, StackProcess } from "./stack.ts";
import { accountEmail, keptKey, migrate } from "./stack-account.ts";
import { type Listeners, listenersOf, nonEmpty, sharedEnvironment } from "./stack-environment.ts";

/**
 * Starts the whole service as real processes, migrates the database, creates an account with a key, and waits until
 * every process is ready. If one does not become ready, stops all of them and throws an error with the end of its log.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dataDir, detached } = options;
  await using starting = new AsyncDisposableStack();
  for (const name of ["logs", "storage", "scratch"]) mkdirSync(join(dataDir, name), { recursive: true, mode: 0o700 });
  const logs = join(dataDir, "logs");
  const processes: StackProcess[] = [];
  const onStarted = (process: StackProcess) => {
    processes.push(process);
    options.onStarted?.(process);
  };
  const { postgres, redis, ...urls } = await startDependencies(options, logs, onStarted, starting);
  const env = sharedEnvironment(dataDir, urls, options.env);
  await migrate(env);

  const specs = await specsOfParts(options);
  const stops: (() => Promise<void>)[] = [];
  starting.defer(async () => {
    await Promise.all(stops.map((stop) => stop()));
  });
  const startingParts = specs.map(async (spec) => {
    const own = await options.settingsOf?.(spec, urls);
    return startPart(spec, { env: { ...env, ...own }, logs, detached }, onStarted, stops);
  });
  const [apiKey, parts] = await allOf([keptKey(dataDir, env), allOf(startingParts)]);
  const apiUrls = specs.filter(({ app }) => app === "api").map(({ url }) => url);
  const started = starting.move();
  return {
    ...{ baseUrl: String(apiUrls[0]), apiUrls, apiKey, accountEmail, ...urls },
    metricsUrls: specs.map(({ metricsUrl }) => metricsUrl),
    storageDir: join(dataDir, "storage"),
    ...{ processes, parts, postgres, redis },
    stop: () => started.disposeAsync(),
  };
}

async function startDependencies(
  options: StackOptions,
  logs: string,
  onStarted: (process: StackProcess) => void,
  starting: AsyncDisposableStack,
) {
  const { dataDir, detached } = options;
  const env = nonEmpty(options.env);
  const start = async <T extends Startable>(
    name: string,
    startIt: (place: ServerOptions) => Promise<T>,
  ): Promise<T> => {
    const started = await startIt({ dataDir: join(dataDir, name), logFile: join(logs, `${name}.log`), detached });
    const { pid, container, stop } = started;
    starting.defer(stop);
    onStarted({ name, pid, ...(container ? { container } : {}) });
    return started;
  };
  const ownEmulator = !env.GEMINI_API_KEY && !env.GEMINI_BASE_URL;
  const [postgres, redis, emulator] = await allOf([
    env.DATABASE_URL ? undefined : start("postgres", startPostgres),
    env.REDIS_URL ? undefined : start("redis", startRedis),
    ownEmulator ? start("emulator", startEmulator) : undefined,
  ]);
  const databaseUrl = String(env.DATABASE_URL ?? postgres?.url);
  const redisUrl = String(env.REDIS_URL ?? redis?.url);
  return { postgres, redis, databaseUrl, redisUrl, emulatorUrl: emulator?.url };
}

type Startable = { pid: number; container?: string; stop(): Promise<void> };

async function specsOfParts({ env, apis, workers }: StackOptions): Promise<PartSpec[]> {
  const specs: PartSpec[] = [];
  for (const [app, count] of [["api", apis] as const, ["worker", workers] as const]) {
    for (let i = 0; i < count; i++) {
      specs.push({ app, name: `${app}-${i + 1}`, ...(await listenersOf(env, i, specs.length)) });
    }
  }
  return specs;
}

/** Like `Promise.all`, but rejects only when all have settled, so that everything that started can be stopped. */
async function allOf<const T extends readonly unknown[]>(
  attempts: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(attempts);
  return Promise.all(attempts) as Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }>;
}

type PartSpec = Listeners & { app: "api" | "worker"; name: string };

type Io = { env: Record<string, string>; logs: string; detached: boolean };

// Longer than a worker may take for its graceful shutdown.
const stopMs = 45_000;
// A server that the process needs may be unavailable for a while.
const restartMs = 180_000;

/** Waits until it is ready. Adds to `stops` how to stop each of its processes, also one that does not become ready. */
async function startPart(
  spec: PartSpec,
  { env, logs, detached }: Io,
  onStarted: (process: StackProcess) => void,
  stops: (() => Promise<void>)[],
): Promise<StackPart> {
  const { app, name } = spec;
  const readyUrl = `${spec.metricsUrl}/readyz`;

  async function run(): Promise<RunningProcess> {
    const started = await startProcess({
      name,
      command: process.execPath,
      args: [mainOf(app)],
      env: { PUBLIC_URL: spec.url, ...env, ...spec.settings },
      logFile: join(logs, `${name}.log`),
      detached,
    });
    stops.push(() => started.stop(stopMs));
    return started;
  }

  let running = await run();
  onStarted({ name, pid: running.pid, readyUrl });
  await untilReady(running, () => answersOk(readyUrl));
  return {
    name,
    app,
    get pid() {
      return running.pid;
    },
    get ended() {
      return running.ended;
    },
    signal: (signal) => running.kill(signal),
    async start() {
      running = await run();
      await untilReady(running, () => answersOk(readyUrl), restartMs);
    },
  };
}

async function answersOk(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text.slice(0, 500)}`);
}
