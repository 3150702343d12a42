import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  askRedis,
  createTestDatabase,
  freePort,
  mainOf,
  startEmulator,
  startProcess,
  startRedis,
  type TemplateServer,
} from "@video-to-json/testing";
import postgres from "postgres";
import type { StackOptions } from "../stack/stack.ts";
import { sharedEnvironment } from "../stack/stack-environment.ts";
import { startStack } from "../stack/start-stack.ts";
import { makeTestVideo, openService } from "./service.ts";

type Options = {
  workers?: number;
  apis?: number;
  env?: Record<string, string>;
  /** Whether the processes use a database user that does not own the tables. */
  ownUser?: boolean;
  /** Settings of one API or worker that override those of all. */
  settingsOf?: StackOptions["settingsOf"];
  /** The server whose protocol the emulator speaks; Gemini if not given. */
  emulatorAs?: string;
  /** The Postgres; by default that of the test run. */
  postgres?: TemplateServer;
};

/**
 * Starts the whole service as real processes, on a new database and a new Redis, with an emulator whose faults the test
 * sets, and a short video to send. A test that kills and freezes nothing and needs no settings takes `borrowService`.
 */
export async function startService(options: Options = {}) {
  const { workers = 1, apis = 1, env = {}, ownUser = false } = options;
  // If a start fails, everything that was started before is stopped.
  await using starting = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "v2j-end-to-end-"));
  starting.defer(() => rm(dataDir, { recursive: true, force: true }));
  const database = await createTestDatabase(options.postgres);
  const user = ownUser ? await nameUser(database.url) : undefined;
  starting.defer(async () => {
    await database.drop();
    await user?.drop();
  });
  const redis = await startRedis();
  starting.defer(() => redis.stop());
  const emulator = await startEmulator({ processingMs: 20, as: options.emulatorAs });
  starting.defer(() => emulator.stop());
  const settings = {
    DATABASE_URL: user?.url ?? database.url,
    ...(user && { OWNER_DATABASE_URL: database.url }),
    REDIS_URL: redis.url,
    GEMINI_API_KEY: "key-for-the-emulator",
    GEMINI_BASE_URL: emulator.url,
    PROVIDER_CHECK: "off",
    // Tests look at files of the provider.
    GEMINI_MAX_INLINE_BYTES: "0",
    // Tests know which model answers.
    GEMINI_MODEL: "gemini-3.5-flash-lite",
    ...env,
  };
  const own: StackOptions["settingsOf"] = async (part, urls) =>
    (await options.settingsOf?.(part, { ...urls, emulatorUrl: emulator.url })) ?? {};
  const stack = await startStack({ dataDir, apis, workers, env: settings, detached: false, settingsOf: own });
  starting.defer(() => stack.stop());
  const { parts, postgres: _postgres, redis: _redis, stop: _stop, ...known } = stack;
  const clip = await makeTestVideo(join(dataDir, "clip.mp4"));
  const facts = { ...known, emulatorUrl: emulator.url, dataDir, settings, clip };
  const service = await openService(facts);
  const dependencies = { databaseUrl: database.url, redisUrl: redis.url, emulatorUrl: emulator.url };
  const started = starting.move();

  return {
    ...service,
    facts,
    parts,
    database,
    redis,
    startWorker: async () => {
      const worker = await startProcess({
        name: "worker-added",
        command: process.execPath,
        args: [mainOf("worker")],
        env: { ...sharedEnvironment(dataDir, dependencies, settings), METRICS_PORT: String(await freePort()) },
        logFile: join(dataDir, "logs", "worker-added.log"),
      });
      started.defer(() => worker.stop());
    },
    forgetQueue: () => askRedis(redis.url, "FLUSHALL"),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** A service of one test or one file. */
export type Service = Awaited<ReturnType<typeof startService>>;

async function nameUser(ownerUrl: string) {
  const name = `user_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(ownerUrl);
  const server = new URL(ownerUrl);
  server.pathname = "/postgres";
  url.username = name;
  url.password = randomUUID();
  return {
    url: url.href,
    async drop() {
      const sql = postgres(server.href, { max: 1, onnotice: () => {} });
      await sql.unsafe(`drop role if exists ${name}`).finally(() => sql.end());
    },
  };
}
