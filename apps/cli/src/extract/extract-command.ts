import { Command } from "commander";
import { exitCodeHelp } from "../exit/exit-codes.ts";
import type { Io } from "../io.ts";
import type { ExtractOptions } from "./extract.ts";

/** `extract`: a video into JSON. */
export function extractCommand(surroundings: Io): Command {
  return new Command("extract")
    .description("Turn a video into JSON that conforms to a schema.")
    .argument("<video>", "a file, or an https:// URL that the service fetches")
    .requiredOption(
      "-s, --schema <schema>",
      "a sketch or a JSON Schema: a file, - for standard input, or the JSON itself",
    )
    .option("-i, --instructions <text>", "context for the analysis; @file reads it from a file")
    .option("--idempotency-key <key>", "the same key and request, within 24 hours, give the same answer for one charge")
    .option("--json", "print the whole response on one line; a failure as one line of JSON on standard error")
    .option("--url <address>", "the service's address")
    .addHelpText("after", examples + exitCodeHelp)
    .action(async (video: string, _options: unknown, command: Command) =>
      (await import("./extract.ts")).extract(surroundings, video, command.optsWithGlobals<ExtractOptions>()),
    );
}

const examples = `
Examples:
  video-to-json extract match.mp4 --schema goals.json
  video-to-json extract https://example.com/match.mp4 --schema '{"goals":[{"at":"timestamp","scorer":"string?"}]}'
  video-to-json extract match.mp4 --schema goals.json --instructions @notes.txt --json > answer.json

Standard output is the JSON and nothing else.`;
