import type { Environment, Server } from "@video-to-json/testing";

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

/** An API or a worker that can be ended and started again, on the ports and with the log that it had. */
export type StackPart = {
  /** "api-1", "worker-1", … */
  readonly name: string;
  readonly app: "api" | "worker";
  /** Of the process that was started last. */
  readonly pid: number;
  /** Resolves with how the process that was started last ended: "code 1", "signal SIGKILL". */
  readonly ended: Promise<string>;
  /** Sends a signal to that process, not to what it has started; does nothing when it has ended. */
  signal(name: NodeJS.Signals): void;
  /** Starts it again, once it has ended, and waits until it is ready. */
  start(): Promise<void>;
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
  /** Its APIs and workers, in order, APIs first. */
  parts: StackPart[];
  /** Its Postgres and Redis; undefined where the environment named a server. */
  postgres: Server | undefined;
  redis: Server | undefined;
  /** Ends all of it in good order, APIs and workers first. */
  stop(): Promise<void>;
};
