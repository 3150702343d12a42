import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Server, type ServerOptions, startEmulator, startPostgres, startRedis } from "@video-to-json/testing";
import { migrate } from "./prepare-database.ts";
import type { Stack, StackOptions, StackPart, StackProcess } from "./stack.ts";
import { hasAccount, keptAccount, makeAccount } from "./stack-account.ts";
import { type Dependencies, listenersOf, nonEmpty, sharedEnvironment } from "./stack-environment.ts";
import { type PartSpec, startPart } from "./start-part.ts";

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
