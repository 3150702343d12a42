import { Command } from "commander";
import { exitCodeHelp } from "../exit/exit-codes.ts";
import type { Io } from "../io.ts";

/** `check-schema`: what a schema means, without the service. */
export function checkSchemaCommand(surroundings: Io): Command {
  return new Command("check-schema")
    .description(
      "Show the JSON Schema that a sketch becomes, and what will be enforced. Needs neither key nor network.",
    )
    .argument("<schema>", "a file, - for standard input, or the JSON itself")
    .option("--json", "print the JSON Schema on one line, and nothing else; a failure as one line of JSON")
    .addHelpText("after", exitCodeHelp)
    .action(async (schema: string, options: { json?: true }) =>
      (await import("./check-schema.ts")).checkSchema(surroundings, schema, options),
    );
}
