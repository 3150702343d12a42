import { Command } from "commander";
import { urlOption } from "../connection/options.ts";
import { exitCodeHelp } from "../exit/exit-codes.ts";
import type { Io } from "../io.ts";
import type { ExtractOptions } from "./extract.ts";

/** Returns `extract`: turns a video into JSON. */
export function extractCommand(io: Io): Command {
  return new Command("extract")
    .description("Turn a video into JSON that conforms to a schema.")
    .argument("<video>", "a video file, or an https:// URL that the service fetches")
    .requiredOption(
      "-s, --schema <schema>",
      "a sketch or a JSON Schema: a file, - for standard input, or the JSON itself",
    )
    .option("-i, --instructions <text>", "context for the model; @file reads it from a file, @- from standard input")
    .option(
      "--idempotency-key <key>",
      "repeat a request with the same key within 24 hours to get its answer without a second charge",
    )
    .option("--json", "print the whole response on one line, and an error as one line of JSON on standard error")
    .addOption(urlOption())
    .addHelpText("after", examples + exitCodeHelp)
    .action(async (video: string, _options: unknown, command: Command) =>
      (await import("./extract.ts")).extract(io, video, command.optsWithGlobals<ExtractOptions>()),
    );
}

const examples = `
Examples:
  video-to-json extract match.mp4 --schema goals.json
  video-to-json extract https://example.com/match.mp4 --schema '{"goals":[{"at":"timestamp","scorer":"string?"}]}'
  video-to-json extract match.mp4 --schema goals.json --instructions @notes.txt --json > answer.json

Standard output contains only the JSON.
`;
