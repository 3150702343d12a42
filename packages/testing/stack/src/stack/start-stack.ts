import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  mainOf,
  type RunningProcess,
  type Server,
  type ServerOptions,
  startEmulator,
  startPostgres,
  startProcess,
  startRedis,
  untilReady,
} from "@video-to-json/testing";
import type { Stack, StackOptions, StackPart, StackProcess } from "./stack.ts";
import { hasAccount, keptAccount, makeAccount, migrate } from "./stack-account.ts";
import { type Dependencies, type Listeners, listenersOf, nonEmpty, sharedEnvironment } from "./stack-environment.ts";

/**
 * Starts the whole service as real processes, migrates the database, creates an account with a key, and waits until
 * every process is ready. If one does not become ready, stops all of them and throws an error with the end of its log.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return { ...(await start(options, stops)), stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function start(options: StackOptions, stops: (() => Promise<void>)[]): Promise<Omit<Stack, "stop">> {
  const { dataDir } = options;
  const logs = join(dataDir, "logs");
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  mkdirSync(join(dataDir, "storage"), { recursive: true, mode: 0o700 });
  mkdirSync(join(dataDir, "scratch"), { recursive: true, mode: 0o700 });

  const processes: StackProcess[] = [];
  const onStarted = (process: StackProcess) => {
    processes.push(process);
    options.onStarted?.(process);
  };
  const { servers, ...dependencies } = await startDependencies(options, logs, onStarted, stops);
  const env = sharedEnvironment(dataDir, dependencies, options.env);
  await migrate(env);

  const specs = await specsOfParts(options);
  const email = options.accountEmail ?? "stack@example.com";
  const apps: (() => Promise<void>)[] = [];
  stops.push(async () => {
    await Promise.all(apps.map((stop) => stop()));
  });
  const newAccount = hasAccount(dataDir) ? undefined : makeAccount(dataDir, email, env);
  const [account, ...parts] = await allOf([
    newAccount,
    ...specs.map(async (spec) => {
      const own = await options.settingsOf?.(spec, dependencies);
      return startPart(spec, { env: { ...env, ...own }, logs, detached: options.detached }, onStarted, apps);
    }),
  ] as [typeof newAccount, ...Promise<StackPart>[]]);
  const apiUrls = specs.filter(({ app }) => app === "api").map(({ url }) => url);
  const baseUrl = String(apiUrls[0]);
  const { email: accountEmail, key: apiKey } =
    account ?? (await keptAccount(dataDir, baseUrl)) ?? (await makeAccount(dataDir, email, env));
  return {
    baseUrl,
    apiUrls,
    apiKey,
    accountEmail,
    ...dependencies,
    metricsUrls: specs.map(({ metricsUrl }) => metricsUrl),
    storageDir: join(dataDir, "storage"),
    processes,
    parts,
    ...servers,
  };
}

async function startDependencies(
  options: StackOptions,
  logs: string,
  onStarted: (process: StackProcess) => void,
  stops: (() => Promise<void>)[],
): Promise<Dependencies & { servers: Pick<Stack, "postgres" | "redis"> }> {
  const { dataDir, detached } = options;
  const env = nonEmpty(options.env);
  const place = (name: string): ServerOptions => ({
    dataDir: join(dataDir, name),
    logFile: join(logs, `${name}.log`),
    detached,
  });
  const reported = async <T extends Startable>(name: string, starting: Promise<T>): Promise<T> => {
    const started = await starting;
    const { pid, container, stop } = started;
    stops.push(stop);
    onStarted({ name, pid, ...(container ? { container } : {}) });
    return started;
  };
  const ownEmulator = !env.GEMINI_API_KEY && !env.GEMINI_BASE_URL;
  const [postgres, redis, emulator] = await allOf([
    env.DATABASE_URL ? undefined : reported("postgres", startPostgres(place("postgres"))),
    env.REDIS_URL ? undefined : reported("redis", startRedis(place("redis"))),
    ownEmulator ? reported("emulator", startEmulator(place("emulator"))) : undefined,
  ]);
  return {
    databaseUrl: urlOf(env.DATABASE_URL, postgres),
    redisUrl: urlOf(env.REDIS_URL, redis),
    emulatorUrl: emulator?.url,
    servers: { postgres, redis },
  };
}

/** Returns the URL of a server that the environment names, or that was started. */
function urlOf(named: string | undefined, started: Server | undefined): string {
  const url = named ?? started?.url;
  if (url === undefined) throw new Error("The environment names no server, and none was started.");
  return url;
}

type Startable = { url: string; pid: number; container?: string; stop(): Promise<void> };

async function specsOfParts({ env, apis, workers }: StackOptions): Promise<PartSpec[]> {
  const specs: PartSpec[] = [];
  for (let i = 0; i < apis; i++) {
    specs.push({ app: "api", name: `api-${i + 1}`, ...(await listenersOf(env, i, specs.length)) });
  }
  for (let i = 0; i < workers; i++) {
    specs.push({ app: "worker", name: `worker-${i + 1}`, ...(await listenersOf(env, i, specs.length)) });
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

/** An API or a worker to start, and where it listens. */
type PartSpec = Listeners & { app: "api" | "worker"; name: string };

type Io = { env: Record<string, string>; logs: string; detached: boolean };

// Longer than a worker may take for its graceful shutdown.
const stopMs = 45_000;
// A server that the process needs may be unavailable for a while.
const restartMs = 180_000;

/**
 * Starts an API or a worker and waits until it is ready. Adds to `stops` a function that stops each of its processes,
 * including one that does not become ready. Calls `onStarted` as soon as the process runs.
 */
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
      stopSignal: "SIGTERM",
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
