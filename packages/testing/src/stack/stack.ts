import type { Environment } from "../processes/start-process.ts";

/** What a stack is made of. */
export type StackOptions = {
  /** Where everything it keeps goes: data, uploads, scratch and `logs/*.log`. */
  dataDir: string;
  apis: number;
  workers: number;
  /**
   * The environment its processes get; every setting in it overrides what the stack would choose (docs/configuration.md).
   * With DATABASE_URL or REDIS_URL that server is not started; with GEMINI_API_KEY or GEMINI_BASE_URL no emulator is.
   */
  env: Environment;
  /** Whether it lives on when this process ends. */
  detached: boolean;
  /** Address of the account that is made for it. */
  accountEmail?: string;
  /** Told of each process as soon as it runs. */
  onStarted?(process: StackProcess): void;
};

/** One process of a stack. */
export type StackProcess = {
  /** "postgres", "redis", "emulator", "api-1", "worker-1", … */
  name: string;
  pid: number;
  /** Where it says whether it is ready: the operator's listener of APIs and workers. */
  readyUrl?: string;
  /** Name of the container it runs in, if it does. */
  container?: string;
};

/** A stack that runs and is ready. */
export type Stack = {
  /** Of its first API, without a slash at the end. */
  baseUrl: string;
  /** Of every API. */
  apiUrls: string[];
  apiKey: string;
  accountEmail: string;
  databaseUrl: string;
  redisUrl: string;
  /** Undefined when something else answers as the analysis service. */
  emulatorUrl: string | undefined;
  /** Addresses of the operator's listeners of APIs and workers; /metrics, /healthz and /readyz are below them. */
  metricsUrls: string[];
  storageDir: string;
  processes: StackProcess[];
  /** Ends all of it in good order, APIs and workers first. */
  stop(): Promise<void>;
};
