import { Option } from "commander";

/** What becomes of the JSON of a command. */
export type OutputOptions = {
  /** The file that gets it, in place of standard output. */
  output?: string;
  /** The jq program that it goes through. */
  jq?: string;
};

/** Creates the option `--output`. */
export const outputOption = () =>
  new Option("-o, --output <file>", "write the JSON to a file, as a whole and only if the command succeeds");

/** Creates the option `--jq`. */
export const jqOption = () =>
  new Option("--jq <program>", "run a jq program on the JSON and print its results, texts without quotes");
