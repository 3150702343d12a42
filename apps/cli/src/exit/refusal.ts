import type { ProblemCode } from "@video-to-json/contract";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";

/** Codes of what this program refuses by itself: those of the service where they fit, and its own. */
export type RefusalCode = ProblemCode | "wrong_usage" | "not_written" | "connection_failed" | "interrupted";

type Options = { details?: readonly string[]; exitCode?: number; cause?: unknown };

/** What this program refuses, or cannot do, by itself. The message says what to do next. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly exitCode: number;
  readonly details: readonly string[];

  constructor(
    code: RefusalCode,
    message: string,
    { details = [], exitCode = usualExitCode(code), cause }: Options = {},
  ) {
    super(message, { cause });
    this.name = "Refusal";
    this.code = code;
    this.details = details;
    this.exitCode = exitCode;
  }
}

function usualExitCode(code: RefusalCode): number {
  switch (code) {
    case "wrong_usage":
      return exitCodes.usage;
    case "not_written":
      return exitCodes.failed;
    case "connection_failed":
      return exitCodes.unavailable;
    case "interrupted":
      return exitCodes.interrupted;
    default:
      return exitCodeOf[code];
  }
}
