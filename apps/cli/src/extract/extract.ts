import { randomUUID } from "node:crypto";
import { idempotencyKeyPattern } from "@video-to-json/contract";
import {
  createClient,
  type Extraction,
  type Progress,
  type VideoToJson,
  VideoToJsonConnectionError,
} from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import { CommandError } from "../exit/command-error.ts";
import { openInterruption } from "../exit/interruption.ts";
import type { Io } from "../io.ts";
import { openDisplay } from "../progress/open-display.ts";
import { compileSchema } from "../schema/compile-schema.ts";
import { readSchemaArgument } from "../schema/schema-argument.ts";
import { readInstructions } from "./instructions-argument.ts";
import { printAnswer } from "./print-answer.ts";
import { readVideoArgument, type VideoArgument } from "./video-argument.ts";

/** The options of `extract`. */
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
 * "POST /v1/extract"). Validates every argument before it sends anything.
 */
export async function extract(io: Io, videoText: string, options: ExtractOptions): Promise<void> {
  const idempotencyKey = validateIdempotencyKey(options.idempotencyKey ?? randomUUID());
  if (options.schema === "-" && options.instructions === "@-") {
    throw new CommandError(
      "wrong_usage",
      "Schema and instructions cannot both come from standard input. Give one as a file.",
    );
  }
  const connection = await findConnection(io, options);
  const video = await readVideoArgument(videoText);
  const schema = await readSchemaArgument(io, options.schema);
  const instructions =
    options.instructions === undefined ? undefined : await readInstructions(io, options.instructions);
  await compileSchema(schema);
  const answer = await send(io, createClient(connection), { video, schema, instructions, idempotencyKey }, options);
  printAnswer(io, answer, { json: options.json === true });
}

async function send(
  io: Io,
  client: VideoToJson,
  { video, instructions, ...request }: Request,
  options: ExtractOptions,
): Promise<Extraction<unknown>> {
  const name = video.kind === "file" ? video.name : video.url;
  using interruption = openInterruption(io);
  const display = openDisplay(io, { name, noColor: !options.color, quiet: options.json === true });
  // A job of an earlier command with the same key may run even if this command sends nothing.
  let mayRun = options.idempotencyKey !== undefined;
  let jobId: string | undefined;
  const onProgress = (progress: Progress) => {
    mayRun ||= progress.stage === "waiting";
    if (progress.stage === "waiting") jobId = progress.jobId ?? jobId;
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
    if (interruption.signal.aborted) throw interrupted(interruption.exitCode(), key, jobId);
    throw error instanceof VideoToJsonConnectionError && error.retryable ? connectionFailed(error, key, jobId) : error;
  } finally {
    display.close();
  }
}

function interrupted(exitCode: number, key: string | undefined, jobId: string | undefined): CommandError {
  const message =
    key === undefined
      ? "Interrupted before everything was sent. No job runs, and nothing is charged."
      : `Interrupted. ${howToGetAnswer(key, jobId)}`;
  return new CommandError("interrupted", message, { exitCode });
}

/** Replaces the SDK's message, which speaks of its functions, with one about commands. */
function connectionFailed(
  { cause, status }: VideoToJsonConnectionError,
  key: string | undefined,
  jobId: string | undefined,
): CommandError {
  const reason = status === undefined ? reasonOf(cause) : `another server answered with status ${status}`;
  return new CommandError(
    "connection_failed",
    `No answer came: ${reason}. ${key === undefined ? nothingSent : howToGetAnswer(key, jobId)}`,
    { cause },
  );
}

const nothingSent = "No job runs, and nothing is charged. Check the address and try again.";

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || "the connection broke";
}

function howToGetAnswer(key: string, jobId: string | undefined): string {
  const quoted = `'${key.replaceAll("'", "'\\''")}'`;
  return (
    "The job may still run and is charged once if it succeeds. " +
    `${jobId === undefined ? "`video-to-json jobs` lists it" : `\`video-to-json job ${jobId}\` shows it`}. ` +
    `To wait for its answer, repeat the command with \`--idempotency-key ${quoted}\`.`
  );
}

function validateIdempotencyKey(key: string): string {
  if (idempotencyKeyPattern.test(key)) return key;
  throw new CommandError("wrong_usage", "The idempotency key is invalid. Give 1 to 255 printable ASCII characters.");
}
