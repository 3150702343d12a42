import { type ProblemCode, problemCodes, problems } from "@video-to-json/contract";

/** The exit codes of the process and their meanings, documented in docs/cli.md. 130 and 143 mean signals. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  unauthorised: 3,
  refused: 4,
  outOfMinutes: 5,
  extractionFailed: 6,
  unavailable: 7,
  interrupted: 130,
  terminated: 143,
} as const;

/** The exit code of each code of the error catalogue (specification, "Errors"), from its status. */
export const exitCodeOf: Readonly<Record<ProblemCode, number>> = Object.fromEntries(
  problemCodes.map((code) => [code, exitCodeOfEntry(problems[code])]),
) as Record<ProblemCode, number>;

function exitCodeOfEntry({ status, retryable }: { status: number; retryable: boolean }): number {
  switch (status) {
    case 401:
      return exitCodes.unauthorised;
    case 402:
      return exitCodes.outOfMinutes;
    case 422:
      return exitCodes.extractionFailed;
    case 500:
      return exitCodes.failed;
    default:
      return retryable ? exitCodes.unavailable : exitCodes.refused;
  }
}

// Ordered from errors that stop every video to errors that concern one video.
const fromWorst = [
  exitCodes.unauthorised,
  exitCodes.outOfMinutes,
  exitCodes.failed,
  exitCodes.unavailable,
  exitCodes.refused,
  exitCodes.extractionFailed,
] as const;

/** Returns the exit code of a command from those of its videos: the worst of them. */
export function worstOf(codes: readonly number[]): number {
  return fromWorst.find((code) => codes.includes(code)) ?? exitCodes.failed;
}

/** The exit codes as the help shows them. */
export const exitCodeHelp = `
Exit codes:
  0    done
  1    a failure of the service or of this program
  2    wrong usage
  3    no key, or one that is not accepted
  4    the request is refused: its video, its schema, an unknown id
  5    out of minutes
  6    no answer conformed to the schema; nothing was charged
  7    the service cannot be reached or is busy; try again later
  130  interrupted (Ctrl-C); 143 when terminated`;
