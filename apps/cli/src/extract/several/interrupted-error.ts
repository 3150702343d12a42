import { CommandError } from "../../exit/command-error.ts";
import { keyOption } from "../send-video.ts";
import type { StartedVideo } from "./started-video.ts";

type Options = { key: string; all: number; exitCode: number };

/**
 * Returns the error of a command that a signal ended: how many answers there are, which jobs may still be running, and
 * how to get every answer.
 */
export function interruptedError(started: readonly StartedVideo[], { key, all, exitCode }: Options): CommandError {
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
