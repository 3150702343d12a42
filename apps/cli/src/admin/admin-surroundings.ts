import type { Surroundings } from "../surroundings.ts";

/** What an operator's command has of the world outside: the environment, and a line on standard output. */
export type AdminSurroundings = Pick<Surroundings, "env"> & { print(line: string): void };
