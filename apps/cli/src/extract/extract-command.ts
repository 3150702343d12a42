import { secondLooks } from "@video-to-json/contract";
import { Command, InvalidArgumentError, Option } from "commander";
import type { Clip } from "video-to-json";
import { exitCodeHelp } from "../exit/exit-codes.ts";
import type { Io } from "../io.ts";
import { type ExtractOptions, jqOption, outputOption, urlOption } from "../options.ts";

const defaultConcurrency = 3;
const maxConcurrency = 20;

/** Returns the command `extract`: turns videos into JSON. */
export function extractCommand(io: Io): Command {
  return new Command("extract")
    .description("Turn a video, or several, into JSON that conforms to a schema.")
    .argument("<video...>", "a video file, - for standard input, or an https:// URL that the service fetches")
    .requiredOption(
      "-s, --schema <schema>",
      "a sketch or a JSON Schema: a file, - for standard input, or the JSON itself",
    )
    .option("-i, --instructions <text>", "context for the model; @file reads it from a file, @- from standard input")
    .option("--accept-warnings", "run a schema that probably means something else; without it, it is refused for free")
    .option("--clip <start-end>", "analyse and pay for this part only, such as 1:00-2:30, 1:00- or -2:30", clipArgument)
    .addOption(
      new Option("--detail <level>", "how closely to look, at the same price").choices(["low", "standard", "high"]),
    )
    .option(
      "--idempotency-key <key>",
      "repeat a request with the same idempotency key to get its answer without a second charge",
    )
    .option("--evidence", "gather evidence of the data, which `video-to-json job <id> --evidence` prints")
    .addOption(
      new Option("--second-look <mode>", "whether to check the times of the answer in clips of the video").choices(
        secondLooks,
      ),
    )
    .option(
      "--concurrency <number>",
      `how many of several videos are sent at the same time, 1 to ${maxConcurrency}`,
      concurrencyOf,
      defaultConcurrency,
    )
    .option("--json", "print the whole response on one line, and an error as one line of JSON on standard error")
    .addOption(outputOption())
    .addOption(jqOption())
    .option("-q, --quiet", "print no progress and no summary, only results and errors")
    .addOption(urlOption())
    .addHelpText("after", examples + exitCodeHelp)
    .action(async (videos: string[], _options: unknown, command: Command) =>
      (await import("./extract.ts")).extract(io, videos, command.optsWithGlobals<ExtractOptions>()),
    );
}

const examples = `
Examples:
  video-to-json extract match.mp4 --schema goals.json
  video-to-json extract https://example.com/match.mp4 --schema '{"goals":[{"at":"timestamp","scorer":"string?"}]}'
  video-to-json extract match.mp4 --schema goals.json --instructions @notes.txt --output answer.json
  video-to-json extract match.mp4 --schema goals.json --clip 1:00-2:30 --detail high
  video-to-json extract match.mp4 --schema goals.json --jq '.goals[].scorer'
  ffmpeg -i talk.mkv -t 60 -f mp4 -movflags frag_keyframe - | video-to-json extract - --schema goals.json
  video-to-json extract *.mp4 --schema goals.json > answers.jsonl

Standard output contains only the JSON. Several videos print one line each, in the order in which they are done: the
response with the argument of its video as \`source\`.
`;

function concurrencyOf(text: string): number {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= maxConcurrency) return number;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${maxConcurrency}.`);
}

/** Reads `1:00-2:30`, `1:00-` and `-2:30`. The service says whether the clip is within the video. */
export function clipArgument(text: string): Clip {
  const [, start, end] = /^(?:([0-5]?\d:[0-5]\d))?-(?:([0-5]?\d:[0-5]\d))?$/.exec(text) ?? [];
  if (start === undefined && end === undefined)
    throw new InvalidArgumentError("Write a clip as 1:00-2:30, 1:00- or -2:30.");
  return {
    ...(start !== undefined && { start: start.padStart(5, "0") }),
    ...(end !== undefined && { end: end.padStart(5, "0") }),
  };
}
