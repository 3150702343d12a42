import type { SecondLook } from "@video-to-json/contract";
import type { Clip, Detail } from "video-to-json";
import type { OutputOptions } from "../output/output-options.ts";

/** The options of `extract`. */
export type ExtractOptions = OutputOptions & {
  schema: string;
  instructions?: string;
  acceptWarnings?: true;
  clip?: Clip;
  detail?: Detail;
  idempotencyKey?: string;
  evidence?: true;
  secondLook?: SecondLook;
  /** How many videos are sent at the same time. */
  concurrency: number;
  json?: true;
  quiet?: true;
  url?: string;
  /** False for `--no-color`. */
  color: boolean;
};
