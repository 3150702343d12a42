import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  askRedis,
  createTestDatabase,
  type Emulator,
  exchangeOf,
  freePort,
  mainOf,
  makeVideo,
  type RunningProcess,
  readContract,
  runCli,
  startEmulator,
  startProcess,
  startRedis,
} from "@video-to-json/testing";
import postgres from "postgres";
import { createKey } from "../stack/prepare-database.ts";
import { sharedEnvironment } from "../stack/stack-environment.ts";
import { startStack } from "../stack/start-stack.ts";

type Options = {
  workers?: number;
  apis?: number;
  env?: Record<string, string>;
  /** Whether the processes use a database user that does not own the tables. */
  ownUser?: boolean;
};

/** The response to an extraction. */
export type Extraction = {
  status: number;
  headers: Headers;
  text: string;
  body: {
    id: string;
    data: unknown;
    video: { duration_seconds: number };
    billed_seconds: number;
    error: { code: string; message: string; details?: string[] };
  };
};

/**
 * Starts the whole service as real processes, on a new database and a new Redis, with an emulator whose faults the test
 * sets, and a short video to send. Each response is checked against the interface description.
 */
export async function startService({ workers = 1, apis = 1, env = {}, ownUser = false }: Options = {}) {
  // If a start fails, everything that was started before is stopped.
  await using starting = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "v2j-end-to-end-"));
  starting.defer(() => rm(dataDir, { recursive: true, force: true }));
  const database = await createTestDatabase();
  const user = ownUser ? await nameUser(database.url) : undefined;
  starting.defer(async () => {
    await database.drop();
    await user?.drop();
  });
  const redis = await startRedis();
  starting.defer(() => redis.stop());
  const emulator = await startEmulator({ processingMs: 20 });
  starting.defer(() => emulator.stop());
  const settings = {
    DATABASE_URL: user?.url ?? database.url,
    ...(user && { OWNER_DATABASE_URL: database.url }),
    REDIS_URL: redis.url,
    GEMINI_API_KEY: "key-for-the-emulator",
    GEMINI_BASE_URL: emulator.url,
    ...env,
  };
  const stack = await startStack({ dataDir, apis, workers, env: settings, detached: false });
  starting.defer(() => stack.stop());
  const video = join(dataDir, "clip.mp4");
  const truth = await makeVideo(scenes, video);
  const clip = await readFile(video);
  const dependencies = { databaseUrl: database.url, redisUrl: redis.url, emulatorUrl: emulator.url };
  const contract = await readContract(stack.baseUrl);
  const checked = async (sent: Promise<Response>, method: "GET" | "POST"): Promise<Omit<Extraction, "body">> => {
    const response = await sent;
    const exchange = await exchangeOf(response, method);
    const faults = contract.faultsOf(exchange);
    if (faults.length > 0)
      throw new Error(`The response differs from the interface description:\n${faults.join("\n")}`);
    return { status: exchange.status, headers: response.headers, text: exchange.body };
  };
  const post = async (body: FormData | string, headers: Record<string, string>, signal?: AbortSignal) => {
    const all = { ...authorization(stack.apiKey), ...headers };
    const sent = fetch(`${stack.baseUrl}/v1/extract`, { method: "POST", headers: all, body, signal: signal ?? null });
    const answer = await checked(sent, "POST");
    return { ...answer, body: JSON.parse(answer.text) } as Extraction;
  };
  const get = (path: string, key: string) =>
    checked(fetch(stack.baseUrl + path, { headers: authorization(key) }), "GET");
  const added: RunningProcess[] = [];
  const parts = starting.move();

  return {
    ...stack,
    database,
    redis,
    emulator,
    video,
    truth,
    contract,
    /** Sends the short video, or another one, as a form. */
    extract: (fields: Partial<Fields> = {}, headers: Record<string, string> = {}, signal?: AbortSignal) =>
      post(form({ schema: '{"main_color":"red|green|blue"}', video: clip, ...fields }), headers, signal),
    /** Makes a video with a length in seconds. */
    videoOf: async (seconds: number) => {
      const path = join(dataDir, `${seconds}.mp4`);
      await makeVideo({ scenes: [{ seconds, color: "red" }] }, path);
      return readFile(path);
    },
    /** Sends a JSON body. */
    extractUrl: (body: object, headers: Record<string, string> = {}) =>
      post(JSON.stringify(body), { "content-type": "application/json", ...headers }),
    read: (path: string, key = stack.apiKey) => get(path, key),
    secondsRemaining: async (key = stack.apiKey) => {
      const { text } = await get("/v1/me", key);
      return (JSON.parse(text) as { seconds_remaining: number }).seconds_remaining;
    },
    /** Creates another account with free seconds. Returns a key of it. */
    newKey: (freeSeconds = 1800) => createKey({ ...settings, FREE_SECONDS: String(freeSeconds) }),
    /** Runs `video-to-json admin <args>`. */
    admin: (...args: string[]) => runCli(["admin", ...args], settings),
    /** Returns the leftovers of jobs: the names in storage and scratch, and the copies at the emulator. */
    leftBehind: () => leftBehind(dataDir, emulator),
    processOf: (name: string) => {
      const found = stack.processes.find((process) => process.name === name);
      if (!found) throw new Error(`The stack has no process ${name}.`);
      return found;
    },
    /** Starts another worker. */
    startWorker: async () => {
      added.push(
        await startProcess({
          name: "worker-added",
          command: process.execPath,
          args: [mainOf("worker")],
          env: { ...sharedEnvironment(dataDir, dependencies, settings), METRICS_PORT: String(await freePort()) },
          logFile: join(dataDir, "logs", "worker-added.log"),
          detached: false,
          stopSignal: "SIGTERM",
        }),
      );
    },
    /** Deletes all data in Redis while everything runs. */
    forgetQueue: () => askRedis(redis.url, "FLUSHALL"),
    async [Symbol.asyncDispose]() {
      await Promise.all(added.map((process) => process.stop()));
      await parts.disposeAsync();
    },
  };
}

/** A service that runs for tests. */
export type Service = Awaited<ReturnType<typeof startService>>;

const scenes = {
  scenes: [
    { seconds: 2, color: "red", sound: "tone" as const },
    { seconds: 2, color: "red" },
    { seconds: 1, color: "blue" },
  ],
};

/** Chooses a name for the user that the migration creates. `drop` removes the user after its database. */
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

type Fields = { schema: string; video: Uint8Array; instructions: string; video_url: string };

function form(fields: Partial<Fields>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    made.append(name, typeof value === "string" ? value : new File([new Uint8Array(value)], "clip.mp4"));
  }
  return made;
}

function authorization(key: string) {
  return { authorization: `Bearer ${key}` };
}

async function leftBehind(dataDir: string, emulator: Emulator): Promise<string[]> {
  const names = async (place: string) => (await readdir(join(dataDir, place))).map((name) => `${place}/${name}`);
  const { files, openUploads } = await emulator.state();
  const remote = files || openUploads ? [`${files} files and ${openUploads} uploads at the emulator`] : [];
  return [...(await names("storage")), ...(await names("scratch")), ...remote];
}

/** Resolves when jobs have left nothing. A sweep removes the files of a killed process within half a minute. */
export async function untilNothingIsLeft(service: Service): Promise<void> {
  const until = Date.now() + 90_000;
  for (;;) {
    const left = await service.leftBehind();
    if (left.length === 0) return;
    if (Date.now() > until) throw new Error(`Jobs left ${left.join(", ")}.`);
    await sleep(250);
  }
}
