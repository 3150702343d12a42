import type { Readable, Writable } from "node:stream";

/** What the command line has of the world outside. */
export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The user's home directory. */
  readonly home: string;
  readonly stdin: Readable & { isTTY?: boolean };
  /** JSON, and what a person asked to see. */
  readonly stdout: Output;
  /** Everything else. */
  readonly stderr: Output;
  /** Where signals arrive, and what ends at once. */
  readonly process: Pick<NodeJS.Process, "on" | "off" | "exit">;
};

/** A stream that may be a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number };
