import { createHash, randomUUID } from "node:crypto";
import { idempotencyKeyPattern } from "@video-to-json/contract";
import { createClient, type Extraction, type Progress, type VideoToJson } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import { CommandError } from "../exit/command-error.ts";
import { type Interruption, openInterruption } from "../exit/interruption.ts";
import type { Io } from "../io.ts";
import type { ExtractOptions } from "../options.ts";
import { openResults } from "../output/open-results.ts";
import { type Display, openLiveLines } from "../progress/live-lines.ts";
import { loggedLine } from "../progress/stage-line.ts";
import { compileSchema, readSchemaArgument } from "../schema/compile-schema.ts";
import { coloursFor, printable } from "../terminal.ts";
import { extractSeveral } from "./extract-several.ts";
import { printAnswer } from "./print-answer.ts";
import { readText } from "./read-text.ts";
import { howToGetAnswer, type Request, type Sending, sendVideo, toCommandError } from "./send-video.ts";
import { spoolInput } from "./spool-input.ts";
import { readVideoArgument, type VideoArgument } from "./video-argument.ts";

/**
 * Sends videos with a schema and prints the answers (specification, "POST /v1/extract"): for one video its `data`, or with
 * `--json` the whole response; for several a line of JSON each. Validates every argument before it sends anything.
 */
export async function extract(io: Io, videoTexts: readonly string[], options: ExtractOptions): Promise<void> {
  const several = videoTexts.length > 1;
  const key = options.idempotencyKey ?? randomUUID();
  const keys = keysOf(key, videoTexts);
  refuseSharedInput(videoTexts, options);
  const connection = await findConnection(io, options);
  const results = await openResults(io, options, { indent: !several && options.json !== true });
  const schema = await readSchemaArgument(io, options.schema);
  const instructions =
    options.instructions === undefined ? undefined : await readInstructions(io, options.instructions);
  await compileSchema(schema);
  using interruption = openInterruption(io);
  const { color, quiet = false, json = false, evidence = false } = options;
  const display = openDisplay(io, { noColor: !color, quiet, logs: !json, several });
  try {
    await using opened = await openVideoArguments(io, videoTexts, { interruption, display });
    const requests = opened.videos.map((video) => ({
      video,
      schema,
      instructions,
      clip: options.clip,
      detail: options.detail,
      evidence,
      acceptWarnings: options.acceptWarnings ?? false,
      secondLook: options.secondLook,
      idempotencyKey: keys.get(video.argument) ?? key,
    }));
    const [only] = requests;
    const client = createClient(connection);
    if (several || !only) {
      await extractSeveral(io, { client, results, display, interruption }, { key, requests, ...options });
    } else {
      const sending = { mayRun: options.idempotencyKey !== undefined, jobId: undefined };
      const answer = await sendAlone(client, only, {
        sending,
        interruption,
        onProgress: (it) => display.show(only.video, it),
      });
      display.close();
      // From here on Ctrl-C ends the process at once, even if a jq program never ends.
      interruption[Symbol.dispose]();
      await printAnswer(io, results, answer, { json, quiet, evidence });
    }
  } finally {
    display.close();
  }
}

type Sender = { sending: Sending; interruption: Interruption; onProgress: (progress: Progress) => void };

/** Sends the only video of a command. Errors say how to get the answer of a job that may still be running. */
async function sendAlone(
  client: VideoToJson,
  request: Request,
  { sending, interruption, onProgress }: Sender,
): Promise<Extraction<unknown>> {
  const key = request.idempotencyKey;
  try {
    return await sendVideo(client, request, { sending, signal: interruption.signal, onProgress });
  } catch (error) {
    if (!interruption.signal.aborted) throw toCommandError(error, sending, key);
    const message = sending.mayRun
      ? `Interrupted. ${howToGetAnswer(key, sending.jobId)}`
      : "Interrupted before everything was sent. No job is running, and nothing is charged.";
    throw new CommandError("interrupted", message, { exitCode: interruption.exitCode() });
  }
}

function refuseSharedInput(videoTexts: readonly string[], { schema, instructions }: ExtractOptions): void {
  const readers = [
    ...videoTexts.filter((text) => text === "-").map(() => "a video"),
    ...(schema === "-" ? ["the schema"] : []),
  ];
  if (instructions === "@-") readers.push("the instructions");
  if (readers.length < 2) return;
  throw new CommandError(
    "wrong_usage",
    `Standard input can be used only once, but here it is ${readers.join(" and ")}. Give the others as files.`,
  );
}

/**
 * Returns the instructions: the text itself, or the content of the file after `@` (`@-` is standard input). Throws
 * invalid_request for unreadable instructions.
 */
async function readInstructions({ stdin }: Pick<Io, "stdin">, text: string): Promise<string> {
  const instructions = text.startsWith("@")
    ? await readText({ stdin, path: text.slice(1) }, { name: "The instructions" })
    : text;
  if (/[\0\ufffd]/.test(instructions)) {
    throw new CommandError(
      "invalid_request",
      "The instructions contain NUL or U+FFFD, which are not text. Remove the character.",
    );
  }
  return instructions;
}

/**
 * Returns the idempotency key of each video of a command, by its argument. One video has the command's key. Each of
 * several has the command's key with a hash of its argument, so that the same command with the same key finds every
 * answer again, whichever videos had succeeded. Throws wrong_usage for an invalid key.
 */
function keysOf(key: string, videos: readonly string[]): Map<string, string> {
  const keyOf = (video: string) =>
    videos.length === 1 ? key : `${key} ${createHash("sha256").update(video).digest("hex").slice(0, 16)}`;
  const keys = new Map(videos.map((video) => [video, keyOf(video)]));
  for (const one of [key, ...keys.values()]) {
    if (idempotencyKeyPattern.test(one)) continue;
    const most = videos.length === 1 ? "255" : "238 (with several videos)";
    throw new CommandError(
      "wrong_usage",
      `The idempotency key is invalid. Give 1 to ${most} printable ASCII characters.`,
    );
  }
  return keys;
}

/** The videos of a command. Disposing deletes the copy of standard input. */
type OpenedVideos = AsyncDisposable & { videos: VideoArgument[] };

/** Checks every video of a command, and then reads the one from standard input, `-`. Throws as readVideoArgument. */
async function openVideoArguments(
  io: Io,
  texts: readonly string[],
  { interruption, display }: { interruption: Interruption; display: Display },
): Promise<OpenedVideos> {
  const read = new Map<string, VideoArgument>();
  for (const text of texts) if (text !== "-") read.set(text, await readVideoArgument(text));
  if (!texts.includes("-")) return { videos: [...read.values()], [Symbol.asyncDispose]: async () => {} };
  const spooled = await spoolInput(io, {
    interruption,
    onRead: (readBytes) => display.show({ argument: "-" }, { stage: "reading", readBytes }),
  });
  const videos = [...new Set(texts)].map((text) => read.get(text) ?? spooled.video);
  return { videos, [Symbol.asyncDispose]: () => spooled[Symbol.asyncDispose]() };
}

type Options = {
  noColor: boolean;
  /** Shows nothing. */
  quiet: boolean;
  /** Whether to print stages as lines when the output is not a terminal. */
  logs: boolean;
  /** Whether each line begins with the name of its video. */
  several: boolean;
};

/**
 * Opens a display on standard error: on a terminal one updating line for each video, elsewhere one line for each stage, or
 * nothing.
 */
function openDisplay(
  { env, stderr, process }: Pick<Io, "env" | "stderr" | "process">,
  { noColor, quiet, logs, several }: Options,
): Display {
  if (!quiet && stderr.isTTY && env.TERM !== "dumb") {
    return openLiveLines({ env, stderr, process, colours: coloursFor({ env, stream: stderr, noColor }) }, { several });
  }
  const last = new Map<string, string>();
  return {
    show({ argument, name = argument }, step) {
      const line = loggedLine(step, name);
      if (quiet || !logs || line === last.get(argument)) return;
      last.set(argument, line);
      stderr.write(`${printable(several ? `${argument}: ${line}` : line)}\n`);
    },
    remove() {},
    aside: (write) => write(),
    close() {},
  };
}
