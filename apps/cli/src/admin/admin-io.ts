import type { Io } from "../io.ts";

/** What an operator's command has of the world outside: the environment, and a line on standard output. */
export type AdminIo = Pick<Io, "env"> & { print(line: string): void };
