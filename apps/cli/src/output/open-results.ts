import type { Io } from "../io.ts";
import { oneLine, prettyJson } from "../json/pretty-json.ts";
import { printable } from "../terminal/printable.ts";
import { writeJson } from "../terminal/write-json.ts";
import { compileJq } from "./compile-jq.ts";
import { openOutputFile } from "./output-file.ts";
import type { OutputOptions } from "./output-options.ts";

/** Where the JSON of a command goes: standard output, or a file that appears when it is complete. */
export type Results = {
  /** Prints a JSON text, or the results of the jq program for it. Throws jq_failed. */
  write(json: string): void;
  /** Writes the file, if there is one. Throws not_written. */
  finish(): Promise<void>;
};

/**
 * Opens the output for results. `indent` prints them over several lines. Throws wrong_usage for a faulty jq program and
 * not_written for a file that cannot be written, before anything is sent.
 */
export async function openResults(
  { stdout, stderr }: Pick<Io, "stdout" | "stderr">,
  { output, jq }: OutputOptions,
  { indent }: { indent: boolean },
): Promise<Results> {
  const program = jq === undefined ? undefined : await compileJq(jq);
  const file = output === undefined ? undefined : await openOutputFile(output);
  const written: string[] = [];
  const print = (text: string) => {
    if (file) written.push(text, "\n");
    else writeJson(stdout, text);
  };
  return {
    write(json) {
      if (!program) return print(indent ? prettyJson(json) : oneLine(json));
      const { text, messages } = program(json, { indent });
      if (messages !== "") stderr.write(`${messages.split("\n").map(printable).join("\n")}\n`);
      // A program may have no result.
      if (text !== "") print(text);
    },
    finish: async () => file?.write(written.join("")),
  };
}
