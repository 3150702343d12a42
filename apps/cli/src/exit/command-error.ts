import type { ProblemCode } from "@video-to-json/contract";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";

/** The codes of errors that the CLI itself reports: the service's code where one fits, else a code of the CLI. */
export type CommandErrorCode =
  | ProblemCode
  | "wrong_usage"
  | "not_written"
  | "jq_failed"
  | "connection_failed"
  | "interrupted"
  | "videos_failed";

type Options = { details?: readonly string[]; exitCode?: number; cause?: unknown };

/** An error that the CLI itself reports. The message says what is wrong and what to do. */
export class CommandError extends Error {
  readonly code: CommandErrorCode;
  readonly exitCode: number;
  readonly details: readonly string[];

  constructor(
    code: CommandErrorCode,
    message: string,
    { details = [], exitCode = defaultExitCode(code), cause }: Options = {},
  ) {
    super(message, { cause });
    this.name = "CommandError";
    this.code = code;
    this.details = details;
    this.exitCode = exitCode;
  }
}

function defaultExitCode(code: CommandErrorCode): number {
  switch (code) {
    case "wrong_usage":
      return exitCodes.usage;
    case "not_written":
    case "jq_failed":
    case "videos_failed":
      return exitCodes.failed;
    case "connection_failed":
      return exitCodes.unavailable;
    case "interrupted":
      return exitCodes.interrupted;
    default:
      return exitCodeOf[code];
  }
}
