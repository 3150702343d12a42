import { sketchPlainText } from "@video-to-json/contract/sketch-language/markdown";
import { Command } from "commander";
import { exitCodeHelp } from "../exit/exit-codes.ts";
import type { Io } from "../io.ts";
import { jqOption, outputOption } from "../options.ts";
import type { CheckSchemaOptions } from "./check-schema.ts";

/** Returns `check-schema`: shows what a schema means, offline. */
export function checkSchemaCommand(io: Io): Command {
  return new Command("check-schema")
    .description("Show the JSON Schema of a sketch and what it enforces. Works without a key or a network.")
    .argument("<schema>", "a file, - for standard input, or the JSON itself")
    .option("--json", "print only the JSON Schema, on one line, and an error as one line of JSON")
    .addOption(outputOption())
    .addOption(jqOption())
    .option("-q, --quiet", "print only the JSON Schema and errors, no explanation and no warnings")
    .addHelpText("after", `\n${sketchPlainText()}\n${exitCodeHelp}`)
    .action(async (schema: string, options: CheckSchemaOptions) =>
      (await import("./check-schema.ts")).checkSchema(io, schema, options),
    );
}
