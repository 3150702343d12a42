import { randomUUID } from "node:crypto";
import { createApiKey } from "@video-to-json/contract";
import { insertKey, openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import { startStack } from "@video-to-json/stack";
import { emulatorControl } from "@video-to-json/testing/running";
import type { Run } from "./benchmark.ts";

const many = "1000000";
const limits = { MAX_JOBS_PER_ACCOUNT: many, EXTRACTIONS_PER_MINUTE: many, READS_PER_MINUTE: many };

type Options = {
  /** How many workers run beside one API. Without any, no job starts, and no emulator runs. */
  workers?: number;
  settings?: Record<string, string>;
  /** The settings of another provider than the emulator. */
  provider?: Record<string, string>;
};

export async function startService({ dataDir, env }: Pick<Run, "dataDir" | "env">, options: Options) {
  const { workers = 0, settings } = options;
  const idle = { GEMINI_API_KEY: "nobody asks", LOG_LEVEL: "warn" };
  const provider = options.provider ?? (workers > 0 ? { GEMINI_API_KEY: "", GEMINI_BASE_URL: "" } : idle);
  // The bare script, which the service is compared with, uploads its video.
  const all = { GEMINI_MAX_INLINE_BYTES: "0", PROVIDER_CHECK: "off", ...limits, ...settings, ...env, ...provider };
  const stack = await startStack({ dataDir, apis: 1, workers, env: all, detached: false });
  const database = openDatabase(stack.databaseUrl, { maxConnections: 4, applicationName: "bench" });
  return {
    ...stack,
    db: database.db,
    pidOf: (name: "api-1" | "worker-1") => stack.processes.find((each) => each.name === name)?.pid ?? 0,
    setLatency: (ms: number) =>
      emulatorControl(String(stack.emulatorUrl)).setFaults([{ on: "generate", kind: "latency", ms, times: -1 }]),
    /** Opens an account with minutes for a million jobs. */
    async openAccount() {
      const email = `${randomUUID()}@example.com`;
      const { account } = await openAccount(database.db, { email, freeSeconds: 60_000_000 });
      const { key, sha256, display } = createApiKey("v2j");
      await insertKey(database.db, { accountId: account.id, name: "bench", sha256, display });
      return { id: account.id, key };
    },
    async [Symbol.asyncDispose]() {
      await database.close();
      await stack.stop();
    },
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;
