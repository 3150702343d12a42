import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startEmulator } from "../emulator/start-emulator.ts";
import { mainOf, runCli } from "../processes/run-app.ts";
import { startProcess } from "../processes/start-process.ts";
import { untilReady } from "../processes/until-ready.ts";
import type { ServerOptions } from "../servers/server.ts";
import { startPostgres } from "../servers/start-postgres.ts";
import { startRedis } from "../servers/start-redis.ts";
import type { Stack, StackOptions, StackProcess } from "./stack.ts";
import { hasAccount, keptAccount, makeAccount } from "./stack-account.ts";
import { type FarEnds, given, type Listeners, listenersOf, sharedEnvironment } from "./stack-environment.ts";

// Longer than a worker may take to finish its jobs when it is told to stop.
const stopMs = 45_000;

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
  const farEnds = await startFarEnds(options, logs, note, stops);
  const env = sharedEnvironment(dataDir, farEnds, options.env);
  await runCli(["admin", "migrate"], env);

  const parts = await listenersOfParts(options);
  const email = options.accountEmail ?? "stack@example.com";
  const apps: (() => Promise<void>)[] = [];
  stops.push(async () => {
    await Promise.all(apps.map((stop) => stop()));
  });
  const newAccount = hasAccount(dataDir) ? undefined : makeAccount(dataDir, email, env);
  const [account] = await allOf([
    newAccount,
    ...parts.map((part) => startPart(part, { env, logs, detached: options.detached }, note, apps)),
  ]);
  const apiUrls = parts.filter(({ app }) => app === "api").map(({ url }) => url);
  const baseUrl = String(apiUrls[0]);
  const { email: accountEmail, key: apiKey } =
    account ?? (await keptAccount(dataDir, baseUrl)) ?? (await makeAccount(dataDir, email, env));
  return {
    baseUrl,
    apiUrls,
    apiKey,
    accountEmail,
    ...farEnds,
    metricsUrls: parts.map(({ metricsUrl }) => metricsUrl),
    storageDir: join(dataDir, "storage"),
    processes,
  };
}

async function startFarEnds(
  options: StackOptions,
  logs: string,
  note: (process: StackProcess) => void,
  stops: (() => Promise<void>)[],
): Promise<FarEnds> {
  const { dataDir, detached } = options;
  const env = given(options.env);
  const place = (name: string): ServerOptions => ({
    dataDir: join(dataDir, name),
    logFile: join(logs, `${name}.log`),
    detached,
  });
  const noted = async (name: string, starting: Promise<Noted>): Promise<string> => {
    const { url, pid, container, stop } = await starting;
    stops.push(stop);
    note({ name, pid, ...(container ? { container } : {}) });
    return url;
  };
  const ownEmulator = !env.GEMINI_API_KEY && !env.GEMINI_BASE_URL;
  const [databaseUrl, redisUrl, emulatorUrl] = await allOf([
    env.DATABASE_URL ?? noted("postgres", startPostgres(place("postgres"))),
    env.REDIS_URL ?? noted("redis", startRedis(place("redis"))),
    ownEmulator ? noted("emulator", startEmulator(place("emulator"))) : undefined,
  ]);
  return { databaseUrl, redisUrl, emulatorUrl };
}

type Noted = { url: string; pid: number; container?: string; stop(): Promise<void> };

type Part = Listeners & { app: "api" | "worker"; name: string };

async function listenersOfParts({ env, apis, workers }: StackOptions): Promise<Part[]> {
  const parts: Part[] = [];
  for (let i = 0; i < apis; i++) {
    parts.push({ app: "api", name: `api-${i + 1}`, ...(await listenersOf(env, i, parts.length)) });
  }
  for (let i = 0; i < workers; i++) {
    parts.push({ app: "worker", name: `worker-${i + 1}`, ...(await listenersOf(env, i, parts.length)) });
  }
  return parts;
}

async function startPart(
  part: Part,
  { env, logs, detached }: { env: Record<string, string>; logs: string; detached: boolean },
  note: (process: StackProcess) => void,
  stops: (() => Promise<void>)[],
): Promise<void> {
  const running = await startProcess({
    name: part.name,
    command: process.execPath,
    args: [mainOf(part.app)],
    env: { PUBLIC_URL: part.url, ...env, ...part.settings },
    logFile: join(logs, `${part.name}.log`),
    detached,
    stopSignal: "SIGTERM",
  });
  stops.push(() => running.stop(stopMs));
  const readyUrl = `${part.metricsUrl}/readyz`;
  note({ name: part.name, pid: running.pid, readyUrl });
  await untilReady(running, () => answersOk(readyUrl));
}

async function answersOk(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text.slice(0, 500)}`);
}

/** All of them, but failing only when none is still under way: what has started by then is known and can be stopped. */
async function allOf<const T extends readonly unknown[]>(
  attempts: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(attempts);
  return Promise.all(attempts) as Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }>;
}
