import type { Io } from "../io.ts";

/** The input and output of an operator's command. `print` writes a line to standard output. */
export type AdminIo = Pick<Io, "env"> & { print(line: string): void };
