import type { Report } from "../report.ts";

/** The inputs of every step. */
export type Step = {
  readonly docker: { readonly env: NodeJS.ProcessEnv };
  /** The repository. */
  readonly repository: string;
  /** A directory for the copies of the sources. */
  readonly directory: string;
  /** A video of a few seconds. */
  readonly video: Buffer;
  /** The first port of this machine that the installations use. */
  readonly port: number;
  readonly report: Report;
};
