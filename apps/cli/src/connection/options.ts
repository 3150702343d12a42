import { Option } from "commander";

/** Creates the option `--url`. */
export const urlOption = () => new Option("--url <address>", "the service's address");

/** Creates the option `--json` of commands that print text on a terminal. */
export const jsonOption = () =>
  new Option("--json", "print one line of JSON; the default if standard output is not a terminal");
