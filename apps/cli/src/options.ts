import type { SecondLook } from "@video-to-json/contract";
import { Option } from "commander";
import type { Clip, Detail } from "video-to-json";

/** How the JSON of a command is printed. */
export type OutputOptions = {
  /** The file to write instead of standard output. */
  output?: string;
  /** The jq program that filters it. */
  jq?: string;
};

/** Creates the option `--output`. */
export const outputOption = () => new Option("-o, --output <file>", "write the JSON to a file once it is complete");

/** Creates the option `--jq`. */
export const jqOption = () =>
  new Option("--jq <program>", "run a jq program on the JSON and print its results, strings without quotes");

/** Creates the option `--url`. */
export const urlOption = () => new Option("--url <address>", "the service's address");

/** Creates the option `--json` of commands that print text on a terminal. */
export const jsonOption = () =>
  new Option("--json", "print one line of JSON; the default if standard output is not a terminal");

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
