import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Server, type ServerOptions, startEmulator, startPostgres, startRedis } from "@video-to-json/testing";
import { migrate } from "./prepare-database.ts";
import type { Stack, StackOptions, StackPart, StackProcess } from "./stack.ts";
import { hasAccount, keptAccount, makeAccount } from "./stack-account.ts";
import { type FarEnds, given, listenersOf, sharedEnvironment } from "./stack-environment.ts";
import { type PartSpec, startPart } from "./start-part.ts";

/**
 * Starts everything the service needs as real processes, migrates the database, makes an account with a key, and waits
 * until every part says that it is ready. Throws with the end of a process's log when one does not get there; nothing
 * is left running then.
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
  const note = (process: StackProcess) => {
    processes.push(process);
    options.onStarted?.(process);
  };
  const { servers, ...farEnds } = await startFarEnds(options, logs, note, stops);
  const env = sharedEnvironment(dataDir, farEnds, options.env);
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
    ...specs.map((spec) => startPart(spec, { env, logs, detached: options.detached }, note, apps)),
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
    ...farEnds,
    metricsUrls: specs.map(({ metricsUrl }) => metricsUrl),
    storageDir: join(dataDir, "storage"),
    processes,
    parts,
    ...servers,
  };
}

async function startFarEnds(
  options: StackOptions,
  logs: string,
  note: (process: StackProcess) => void,
  stops: (() => Promise<void>)[],
): Promise<FarEnds & { servers: Pick<Stack, "postgres" | "redis"> }> {
  const { dataDir, detached } = options;
  const env = given(options.env);
  const place = (name: string): ServerOptions => ({
    dataDir: join(dataDir, name),
    logFile: join(logs, `${name}.log`),
    detached,
  });
  const noted = async <T extends Noted>(name: string, starting: Promise<T>): Promise<T> => {
    const started = await starting;
    const { pid, container, stop } = started;
    stops.push(stop);
    note({ name, pid, ...(container ? { container } : {}) });
    return started;
  };
  const ownEmulator = !env.GEMINI_API_KEY && !env.GEMINI_BASE_URL;
  const [postgres, redis, emulator] = await allOf([
    env.DATABASE_URL ? undefined : noted("postgres", startPostgres(place("postgres"))),
    env.REDIS_URL ? undefined : noted("redis", startRedis(place("redis"))),
    ownEmulator ? noted("emulator", startEmulator(place("emulator"))) : undefined,
  ]);
  return {
    databaseUrl: urlOf(env.DATABASE_URL, postgres),
    redisUrl: urlOf(env.REDIS_URL, redis),
    emulatorUrl: emulator?.url,
    servers: { postgres, redis },
  };
}

/** The address of a server that was named, or was started. */
function urlOf(named: string | undefined, started: Server | undefined): string {
  const url = named ?? started?.url;
  if (url === undefined) throw new Error("no server was named, and none started");
  return url;
}

type Noted = { url: string; pid: number; container?: string; stop(): Promise<void> };

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

/** All of them, but failing only when none is still under way: what has started by then is known and can be stopped. */
async function allOf<const T extends readonly unknown[]>(
  attempts: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(attempts);
  return Promise.all(attempts) as Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }>;
}
