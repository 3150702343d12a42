import { randomUUID } from "node:crypto";
import { createClient, type Extraction, type Progress, VideoToJsonConnectionError } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import { openInterruption } from "../exit/interruption.ts";
import { Refusal } from "../exit/refusal.ts";
import type { Io } from "../io.ts";
import { openDisplay } from "../progress/open-display.ts";
import { compileSchema } from "../schema/compile-schema.ts";
import { readSchemaArgument } from "../schema/schema-argument.ts";
import { readInstructions } from "./instructions-argument.ts";
import { printAnswer } from "./print-answer.ts";
import { readVideoArgument, type VideoArgument } from "./video-argument.ts";

/** What `extract` may be told besides the video. */
export type ExtractOptions = {
  schema: string;
  instructions?: string;
  idempotencyKey?: string;
  json?: true;
  url?: string;
  /** False for `--no-color`. */
  color: boolean;
};

type Request = { video: VideoArgument; schema: string; instructions: string | undefined; idempotencyKey: string };

/**
 * Sends a video with a schema and prints the answer: its `data`, or with `--json` the whole response (specification,
 * "POST /v1/extract"). Whatever can be refused here is refused before anything is sent.
 */
export async function extract(surroundings: Io, videoText: string, options: ExtractOptions): Promise<void> {
  const idempotencyKey = judgeIdempotencyKey(options.idempotencyKey ?? randomUUID());
  if (options.schema === "-" && options.instructions === "@-") {
    throw new Refusal(
      "wrong_usage",
      "Schema and instructions cannot both come from standard input. Give one as a file.",
    );
  }
  const { url: baseUrl, apiKey } = await findConnection(surroundings, options);
  const video = await readVideoArgument(videoText);
  const schema = await readSchemaArgument(surroundings, options.schema);
  const instructions =
    options.instructions === undefined ? undefined : await readInstructions(surroundings, options.instructions);
  await compileSchema(schema);
  const client = createClient({ baseUrl, apiKey });
  const answer = await send(surroundings, client, { video, schema, instructions, idempotencyKey }, options);
  printAnswer(surroundings, answer, { json: options.json === true });
}

async function send(
  surroundings: Io,
  client: ReturnType<typeof createClient>,
  { video, instructions, ...request }: Request,
  options: ExtractOptions,
): Promise<Extraction<unknown>> {
  const name = video.kind === "file" ? video.name : video.url;
  using interruption = openInterruption(surroundings);
  const display = openDisplay(surroundings, { name, noColor: !options.color, quiet: options.json === true });
  // A key that was given may be an earlier command's, and its job may run whatever becomes of this one.
  let mayRun = options.idempotencyKey !== undefined;
  const onProgress = (progress: Progress) => {
    mayRun ||= progress.stage === "waiting";
    display.show(progress);
  };
  try {
    return await client.extract({
      ...request,
      ...(video.kind === "file" ? { video: video.path, fileName: video.name } : { videoUrl: video.url }),
      ...(instructions !== undefined && { instructions }),
      signal: interruption.signal,
      onProgress,
    });
  } catch (error) {
    const key = mayRun ? request.idempotencyKey : undefined;
    if (interruption.signal.aborted) throw interrupted(interruption.exitCode(), key);
    throw error instanceof VideoToJsonConnectionError && error.retryable ? lost(error, key) : error;
  } finally {
    display.end();
  }
}

function interrupted(exitCode: number, key: string | undefined): Refusal {
  const message =
    key === undefined
      ? "Interrupted before everything was sent: nothing runs, and nothing is charged."
      : `Interrupted. ${howToRead(key)}`;
  return new Refusal("interrupted", message, { exitCode });
}

/** The client's own words are for those who write programs. */
function lost({ cause, status }: VideoToJsonConnectionError, key: string | undefined): Refusal {
  const reason = status === undefined ? reasonOf(cause) : `something else answered, with status ${status}`;
  return new Refusal(
    "connection_failed",
    `No answer came: ${reason}. ${key === undefined ? nothingBegun : howToRead(key)}`,
    { cause },
  );
}

const nothingBegun = "Nothing was sent whole, so nothing runs or is charged. Check the address and try again.";

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || "the connection broke";
}

function howToRead(key: string): string {
  const quoted = `'${key.replaceAll("'", "'\\''")}'`;
  return (
    "What has begun goes on, and is charged once if it succeeds. `video-to-json jobs` shows it; " +
    `the same command with \`--idempotency-key ${quoted}\` waits for it and prints the answer.`
  );
}

function judgeIdempotencyKey(key: string): string {
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new Refusal("wrong_usage", "An idempotency key is 1 to 255 printable ASCII characters. Give another.");
}
