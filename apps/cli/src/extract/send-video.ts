import type { SecondLook } from "@video-to-json/contract";
import {
  type Clip,
  type Detail,
  type Extraction,
  type Progress,
  type VideoToJson,
  VideoToJsonConnectionError,
} from "video-to-json";
import { CommandError } from "../exit/command-error.ts";
import type { VideoArgument } from "./video-argument.ts";

/** A request: a video with its schema. */
export type Request = {
  video: VideoArgument;
  schema: string;
  instructions: string | undefined;
  clip: Clip | undefined;
  detail: Detail | undefined;
  /** Whether to ask for evidence of the data. */
  evidence: boolean;
  acceptWarnings: boolean;
  secondLook: SecondLook | undefined;
  idempotencyKey: string;
};

/** The state of a request that the command sends. */
export type Sending = {
  /** Whether a job may be running: everything was sent, or an earlier command used the same key. */
  mayRun: boolean;
  jobId: string | undefined;
};

/** Sends a video and returns its answer. Updates `sending` and reports every step. */
export function sendVideo(
  client: VideoToJson,
  { video, instructions, ...request }: Request,
  { sending, signal, onProgress }: { sending: Sending; signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<Extraction<unknown>> {
  return client.extract({
    ...request,
    ...(video.kind === "file" ? { video: video.path, fileName: video.name } : { videoUrl: video.url }),
    ...(instructions !== undefined && { instructions }),
    signal,
    onProgress(progress) {
      sending.mayRun ||= progress.stage === "waiting";
      if (progress.stage === "waiting") sending.jobId = progress.jobId ?? sending.jobId;
      onProgress(progress);
    },
  });
}

/** Replaces the SDK's error for a missing answer, whose message names functions, with one that names commands. */
export function toCommandError(error: unknown, { mayRun, jobId }: Sending, key: string): unknown {
  if (!(error instanceof VideoToJsonConnectionError) || !error.retryable) return error;
  const { cause, status } = error;
  const reason = status === undefined ? reasonOf(cause) : `another server answered with status ${status}`;
  const advice = mayRun
    ? howToGetAnswer(key, jobId)
    : "No job is running, and nothing is charged. Check the address and try again.";
  return new CommandError("connection_failed", `No answer came: ${reason}. ${advice}`, { cause });
}

/** Says what happens to a job whose answer did not come, and how to get the answer. */
export function howToGetAnswer(key: string, jobId: string | undefined): string {
  return (
    "The job may still be running, and is charged once if it succeeds. " +
    `${jobId === undefined ? "`video-to-json jobs` lists it" : `\`video-to-json job ${jobId}\` shows it`}. ` +
    `To wait for its answer, repeat the command with \`${keyOption(key)}\`.`
  );
}

/** Writes the option `--idempotency-key` for a shell. */
export function keyOption(key: string): string {
  return `--idempotency-key '${key.replaceAll("'", "'\\''")}'`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || "the connection broke";
}
