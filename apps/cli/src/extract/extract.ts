import { randomUUID } from "node:crypto";
import { createClient, type Extraction, type Progress, type VideoToJson } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import { CommandError } from "../exit/command-error.ts";
import { type Interruption, openInterruption } from "../exit/interruption.ts";
import type { Io } from "../io.ts";
import { openResults } from "../output/open-results.ts";
import { openDisplay } from "../progress/open-display.ts";
import { compileSchema } from "../schema/compile-schema.ts";
import { readSchemaArgument } from "../schema/schema-argument.ts";
import type { ExtractOptions } from "./extract-options.ts";
import { readInstructions } from "./instructions-argument.ts";
import { printAnswer } from "./print-answer.ts";
import { howToGetAnswer, type Request, type Sending, sendVideo, toCommandError } from "./send-video.ts";
import { extractSeveral } from "./several/extract-several.ts";
import { keysOf } from "./several/keys.ts";
import { openVideoArguments } from "./video-arguments.ts";

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
