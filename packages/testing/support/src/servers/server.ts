/** A running Postgres or Redis on 127.0.0.1. */
export type Server = {
  url: string;
  /** The process id of the server. */
  pid: number;
  /** The name of its container, if it runs in one. */
  container?: string;
  /** Shuts it down, and removes its data unless it has a `dataDir`. */
  stop(): Promise<void>;
  /** Kills it with SIGKILL. Resolves when it has ended. */
  kill(): Promise<void>;
  /** Stops it if it runs, and starts it on the same port. `empty` deletes its data first. */
  restart(options?: { empty?: boolean }): Promise<void>;
};

/** Where and how a server runs. The defaults suit a test. */
export type ServerOptions = {
  /** The directory for its data, which survives `stop`. By default a temporary directory. */
  dataDir?: string;
  /** Its log file. By default a file beside the data. */
  logFile?: string;
  /** Whether it continues when this process ends. Needs a `dataDir`. */
  detached?: boolean;
  /** What to use where both are available; by default local binaries. */
  prefer?: "local" | "container";
};
