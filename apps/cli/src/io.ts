import type { Readable, Writable } from "node:stream";

/** Everything that the CLI uses of its process, so that tests can replace it. */
export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The user's home directory. */
  readonly home: string;
  readonly stdin: Readable & { isTTY?: boolean };
  /** JSON and other results. */
  readonly stdout: Output;
  /** Progress, summaries and errors. */
  readonly stderr: Output;
  /** Delivers signals and ends the process. */
  readonly process: Pick<NodeJS.Process, "on" | "off" | "exit">;
};

/** A stream that may be a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number; rows?: number };
