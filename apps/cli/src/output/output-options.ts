import { Option } from "commander";

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
