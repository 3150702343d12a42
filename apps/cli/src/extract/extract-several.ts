import { setTimeout as sleep } from "node:timers/promises";
import { type Extraction, type VideoToJson, VideoToJsonError } from "video-to-json";
import { CommandError } from "../exit/command-error.ts";
import { worstOf } from "../exit/exit-codes.ts";
import { type Failure, failureJson, failureOf, failureText } from "../exit/failure.ts";
import type { Interruption } from "../exit/interruption.ts";
import type { Io } from "../io.ts";
import { oneLine } from "../json/pretty-json.ts";
import type { Results } from "../output/open-results.ts";
import type { Display } from "../progress/live-lines.ts";
import { warningLine } from "../schema/compile-schema.ts";
import { coloursFor, printable } from "../terminal.ts";
import { summaryOf, withJob } from "./print-answer.ts";
import { keyOption, type Request, type Sending, sendVideo, toCommandError } from "./send-video.ts";

type Deps = { client: VideoToJson; results: Results; display: Display; interruption: Interruption };

type Options = {
  /** The idempotency key of the command. */
  key: string;
  idempotencyKey?: string;
  requests: readonly Request[];
  concurrency: number;
  json?: true;
  quiet?: true;
  color: boolean;
};

/**
 * Sends several videos, `concurrency` at a time. Prints each answer as a line of JSON when it comes, and each error on
 * standard error. Waits while the service has no place for another job. A refused key stops the rest. Throws
 * videos_failed with the worst exit code if a video has no answer, and interrupted after a signal.
 */
export async function extractSeveral(io: Io, deps: Deps, options: Options): Promise<void> {
  const { requests, concurrency, quiet = false, json = false } = options;
  const { display, interruption, results } = deps;
  const colours = coloursFor({ env: io.env, stream: io.stderr, noColor: !options.color });
  const started: StartedVideo[] = [];
  const failures: Failure[] = [];
  const report = (text: string) => display.aside(() => void io.stderr.write(text));

  const finish = async (one: StartedVideo): Promise<void> => {
    const { argument } = one.request.video;
    try {
      const answer = await send(deps, one);
      one.outcome = "answered";
      display.remove(one.request.video);
      display.aside(() => writeLine(results, argument, answer));
      if (!quiet) for (const warning of answer.warnings) report(`${printable(argument)}: ${warningLine(warning)}`);
      if (!json && !quiet) report(`${printable(`${argument}: ${summaryOf(answer)}`)}\n`);
    } catch (error) {
      display.remove(one.request.video);
      if (interruption.signal.aborted) return;
      one.outcome = one.outcome === "open" ? "failed" : one.outcome;
      const failure = failureOf(toCommandError(error, one.sending, one.request.idempotencyKey));
      failures.push(failure);
      report(json ? failureJson(failure, argument) : failureText(failure, colours, argument));
    }
  };
  const waiting = requests.values();
  const mayGoOn = () => !interruption.signal.aborted && !failures.some(({ code }) => code === "unauthorised");
  const work = async (): Promise<void> => {
    for (const request of waiting) {
      const one: StartedVideo = {
        request,
        sending: { mayRun: options.idempotencyKey !== undefined, jobId: undefined },
        outcome: "open",
      };
      started.push(one);
      await finish(one);
      if (!mayGoOn()) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, requests.length) }, work));
  display.close();

  if (interruption.signal.aborted) {
    throw interruptedError(started, { key: options.key, all: requests.length, exitCode: interruption.exitCode() });
  }
  await results.finish();
  if (failures.length === 0) return;
  const unsent = requests.length - started.length;
  throw new CommandError(
    "videos_failed",
    `${failures.length} of ${requests.length} videos failed.${unsent > 0 ? ` ${unsent} were not sent.` : ""}`,
    { exitCode: worstOf(failures.map(({ exitCode }) => exitCode)) },
  );
}

function send(
  { client, display, interruption }: Deps,
  { request, sending }: StartedVideo,
): Promise<Extraction<unknown>> {
  const { signal } = interruption;
  const onProgress = (step: Parameters<Display["show"]>[1]) => display.show(request.video, step);
  return retryWhileBusy({ signal, onRetry: (retry) => onProgress({ stage: "retrying", ...retry }) }, () =>
    sendVideo(client, request, { sending, signal, onProgress }),
  );
}

/** Writes the response as the service wrote it, with the video's argument in front. */
function writeLine(results: Results, argument: string, { json, id }: Extraction<unknown>): void {
  try {
    results.write(`{"source":${JSON.stringify(argument)},${oneLine(json).replace(/^\{\s*/, "")}`);
  } catch (error) {
    throw withJob(error, id);
  }
}

/** A video whose request has started, and its outcome. */
type StartedVideo = { request: Request; sending: Sending; outcome: "answered" | "failed" | "open" };

type StopFacts = { key: string; all: number; exitCode: number };

/**
 * Returns the error of a command that a signal ended: how many answers there are, which jobs may still be running, and
 * how to get every answer.
 */
function interruptedError(started: readonly StartedVideo[], { key, all, exitCode }: StopFacts): CommandError {
  const answered = started.filter(({ outcome }) => outcome === "answered").length;
  const open = started.filter(({ outcome, sending }) => outcome === "open" && sending.mayRun);
  const jobs =
    open.length === 0
      ? "No job is running."
      : "The jobs below may still be running. Each is charged once if it succeeds, and `video-to-json job <id>` shows it.";
  const message = `Interrupted after ${answered} of ${all} answers. ${jobs} To get every answer without a second charge, repeat the command with \`${keyOption(key)}\`.`;
  const details = open.map(
    ({ request, sending }) =>
      `${request.video.argument}: ${sending.jobId === undefined ? "a job whose id is not known yet" : `job ${sending.jobId}`}`,
  );
  return new CommandError("interrupted", message, { exitCode, details });
}

/** A retry that will start: its number, the reason and the delay in milliseconds. */
type ScheduledRetry = { attempt: number; reason: VideoToJsonError; delayMs: number };

type RetryOptions = { signal: AbortSignal; onRetry: (retry: ScheduledRetry) => void };

const defaultDelaySeconds = 5;
const longestWaitMs = 30 * 60_000;

/**
 * Calls `once` again while the service has no place for another job or another request (`too_many_jobs`,
 * `rate_limited`), for half an hour at most, because it may wait for the other jobs of the command. The service chooses
 * the delays. Throws every other error, and the signal's reason.
 */
export async function retryWhileBusy<T>({ signal, onRetry }: RetryOptions, once: () => Promise<T>): Promise<T> {
  const until = Date.now() + longestWaitMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof VideoToJsonError) || Date.now() > until) throw error;
      if (error.code !== "too_many_jobs" && error.code !== "rate_limited") throw error;
      const delayMs = 1000 * (error.retryAfterSeconds ?? defaultDelaySeconds);
      onRetry({ attempt: attempt + 1, reason: error, delayMs });
      await sleep(delayMs, undefined, { signal });
    }
  }
}
