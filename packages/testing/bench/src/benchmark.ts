import type { Environment } from "@video-to-json/testing/running";
import type { Measurement } from "./figure.ts";

/** The environment of a benchmark. */
export type Run = {
  /** An empty directory for all files. */
  dataDir: string;
  env: Environment;
  /** Whether to measure only a small part, to test the benchmark itself. */
  quick: boolean;
  tell(line: string): void;
};

/** One benchmark: one or more rows of docs/performance.md. */
export type Benchmark = {
  name: string;
  title: string;
  /** The measured thing, in one line. */
  how: string;
  measure(run: Run): Promise<Measurement>;
};
