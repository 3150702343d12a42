/** A Postgres or Redis that was started, on 127.0.0.1. */
export type Server = {
  url: string;
  /** Of the server's own process. */
  pid: number;
  /** Name of the container it runs in, if it does. */
  container?: string;
  /** Ends it in good order; removes what it kept, unless it was given a directory to keep it in. */
  stop(): Promise<void>;
  /** Ends it by SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port, ending it first if it runs. With `empty` it has forgotten everything. */
  restart(options?: { empty?: boolean }): Promise<void>;
};

/** Where and how a server runs; everything has a default that suits a test. */
export type ServerOptions = {
  /** Where it keeps its data, also after `stop`. By default a temporary directory that goes with it. */
  dataDir?: string;
  /** Where its log goes. By default beside the data. */
  logFile?: string;
  /** Whether it lives on when this process ends; asks for a `dataDir`. */
  detached?: boolean;
  /** What runs it where there is a choice; by default local binaries. */
  prefer?: "local" | "container";
};
