import type { Environment, Server } from "@video-to-json/testing";

/** How to start a stack. */
export type StackOptions = {
  /** The directory for all its files: data, uploads, scratch and `logs/*.log`. */
  dataDir: string;
  apis: number;
  workers: number;
  /**
   * Settings for its processes, which override those of the stack (docs/configuration.md). DATABASE_URL and REDIS_URL
   * name servers to use instead of starting them. GEMINI_API_KEY or GEMINI_BASE_URL replaces the emulator.
   */
  env: Environment;
  /** Whether it continues when this process ends. */
  detached: boolean;
  /** Settings of one API or worker that override those of all. Called before it starts. */
  settingsOf?(
    part: Pick<StackPart, "name" | "app">,
    urls: Pick<Stack, "databaseUrl" | "redisUrl" | "emulatorUrl">,
  ): Promise<Record<string, string>>;
  /** Called with each process as soon as it runs. */
  onStarted?(process: StackProcess): void;
};

/** One process of a stack. */
export type StackProcess = {
  /** "postgres", "redis", "emulator", "api-1", "worker-1", … */
  name: string;
  pid: number;
  /** The readiness check of an API or a worker. */
  readyUrl?: string;
  /** The name of its container, if it runs in one. */
  container?: string;
};

/** An API or a worker that can be stopped and started again, with the same ports and the same log. */
export type StackPart = {
  /** "api-1", "worker-1", … */
  readonly name: string;
  readonly app: "api" | "worker";
  readonly pid: number;
  /** Resolves when its latest process has ended, with the way it ended: "code 1", "signal SIGKILL". */
  readonly ended: Promise<string>;
  /** Sends a signal to its latest process, but not to the children. Does nothing when the process has ended. */
  signal(name: NodeJS.Signals): void;
  /** Starts it again after it has ended, and waits until it is ready. */
  start(): Promise<void>;
};

/** A running stack. */
export type Stack = {
  /** The URL of its first API, without a slash at the end. */
  baseUrl: string;
  apiUrls: string[];
  apiKey: string;
  accountEmail: string;
  databaseUrl: string;
  redisUrl: string;
  /** Undefined if the stack uses another provider. */
  emulatorUrl: string | undefined;
  /** The URLs of the operator listeners of APIs and workers, which serve /metrics, /healthz and /readyz. */
  metricsUrls: string[];
  storageDir: string;
  processes: StackProcess[];
  /** Its APIs, then its workers. */
  parts: StackPart[];
  /** Its Postgres and Redis. Undefined for a server that the environment names. */
  postgres: Server | undefined;
  redis: Server | undefined;
  /** Shuts everything down, APIs and workers first. */
  stop(): Promise<void>;
};
