import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "@video-to-json/database";
import { startStack } from "@video-to-json/stack";
import { emulatorControl, startS3Server } from "@video-to-json/testing/running";
import { makeVideos, paddingBytes, serveFiles } from "../load/videos.ts";
import { openDisks } from "../surroundings/disks.ts";
import { openMachines } from "../surroundings/machines.ts";
import { openNetwork } from "../surroundings/network.ts";
import { watchParts } from "../surroundings/processes.ts";
import { serviceSettings } from "./settings.ts";

export type World = Awaited<ReturnType<typeof openWorld>>;

export type WorldOptions = {
  /** The directory for all files. Its `logs` remain until the caller removes it. */
  dataDir: string;
  apis: number;
  workers: number;
  /** Whether to mount small disks, for faults that fill them. Needs root and a private mount namespace. */
  mountsDisks?: boolean;
  /** The storage of the uploads; a directory by default. A bucket needs Debian's `python3-swift`. */
  storage?: "directory" | "s3";
  signal: AbortSignal;
  /** Called often, with the current step. */
  onStatus(what: string): void;
};

/** The API and the worker that write their logs to a disk that can be filled. */
export const onSmallDisk: readonly string[] = ["api-1", "worker-1"];

// The option that a stack gives its processes; ours replaces it.
const memoryOptions = "--max-semi-space-size=8 --max-old-space-size=1024";

/** Makes the videos and starts the service. Adds to `opened` the functions that stop everything. */
export async function openWorld(options: WorldOptions, opened: AsyncDisposableStack) {
  const startedAt = Date.now();
  const { dataDir, apis, workers, mountsDisks = false, storage = "directory", signal, onStatus } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  onStatus("making videos");
  const videos = await makeVideos(dataDir, storage === "s3" ? paddingBytes : 0);
  const files = opened.use(await serveFiles(videos));
  signal.throwIfAborted();
  onStatus("starting the service");
  const s3 = storage === "s3" ? await startS3Server(placeOfS3(dataDir)) : undefined;
  if (s3) opened.defer(() => s3[Symbol.asyncDispose]());
  // The faults of uploads need uploads, also of small videos.
  const env = {
    GEMINI_MAX_INLINE_BYTES: "0",
    PROVIDER_CHECK: "off",
    ...serviceSettings,
    ...s3?.env,
    FETCH_ALLOW_HOSTS: files.host,
  };
  const disks = mountsDisks ? await openDisks(dataDir, onSmallDisk) : undefined;
  if (disks) opened.defer(() => disks.close());
  const network = openNetwork(s3);
  opened.defer(() => network.close());
  const machines = openMachines(dataDir, memoryOptions);
  const stack = await startStack({
    ...{ dataDir, apis, workers, env },
    detached: false,
    settingsOf: async (part, urls) => ({
      ...(await network.settingsOf(part, urls)),
      ...(await machines.settingsOf(part)),
    }),
  });
  opened.defer(() => stack.stop());
  const all = (name: NodeJS.Signals) => stack.parts.forEach((part) => void part.signal(name));
  // A frozen process handles no other signal.
  opened.defer(() => all("SIGCONT"));
  // After an interruption, the graceful shutdown of the processes is not needed.
  signal.addEventListener("abort", () => all("SIGKILL"), { once: true });
  const database = openDatabase(stack.databaseUrl, { maxConnections: 3, applicationName: "chaos" });
  opened.defer(() => database.close());
  signal.throwIfAborted();
  const emulator = emulatorControl(stack.emulatorUrl ?? "");
  const [own] = await database.db.execute<{ account_id: string; id: string }>("select account_id, id from api_keys");
  return {
    /** When its start began, in milliseconds since 1970. */
    startedAt,
    ...{ dataDir, stack, db: database.db, emulator, files, videos, parts: watchParts(stack.parts) },
    ...{ network, machines, clocks: machines.clocks, disks, s3 },
    /** The account and the API key that the service has from its start. */
    own: { accountId: own?.account_id ?? "", keyId: own?.id ?? "" },
  };
}

function placeOfS3(dataDir: string) {
  const directory = join(dataDir, "s3");
  mkdirSync(directory, { mode: 0o700 });
  return { directory, logFile: join(dataDir, "logs", "s3.log") };
}
