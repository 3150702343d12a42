import { Problem } from "@video-to-json/contract";
import { VideoToJsonConnectionError, VideoToJsonError } from "video-to-json";
import type { Colours } from "../terminal/colours.ts";
import { printable } from "../terminal/printable.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { Refusal } from "./refusal.ts";

/** What is told of a failure. */
export type Failure = {
  exitCode: number;
  code: string;
  message: string;
  details?: readonly string[] | undefined;
  requestId?: string | undefined;
  jobId?: string | undefined;
};

/** What is told of anything that was thrown; never where in the program it was. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) {
    const { code, message, details, exitCode } = error;
    return { exitCode, code, message, details };
  }
  if (error instanceof Problem) {
    const { code, message, details } = error;
    return { exitCode: exitCodeOf[code], code, message, details };
  }
  if (error instanceof VideoToJsonError) {
    const { code, message, details, requestId, jobId } = error;
    return { exitCode: exitCodeOf[code] ?? exitCodes.failed, code, message, details, requestId, jobId };
  }
  if (error instanceof VideoToJsonConnectionError) {
    const { message, requestId } = error;
    return { exitCode: exitCodes.unavailable, code: "connection_failed", message, requestId };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: exitCodes.failed, code: "failed", message: message || "It failed without saying why. Try again." };
}

/** A failure for people, over several lines. */
export function failureText(failure: Failure, { paint }: Pick<Colours, "paint">): string {
  const { code, message, details = [], requestId, jobId } = failure;
  const lines = [
    `${paint("red", "error")} ${paint("dim", `(${code})`)}: ${message.split("\n").map(printable).join("\n")}`,
    ...details.map((detail) => `  ${printable(detail)}`),
    ...(jobId ? [`job id: ${printable(jobId)}`] : []),
    ...(requestId ? [`request id: ${printable(requestId)}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** A failure for programs: the Error body (specification, "Error") on one line, with the ids where there are any. */
export function failureJson({ code, message, details, requestId, jobId }: Failure): string {
  const error = { code, message, ...(details?.length ? { details } : {}) };
  return `${JSON.stringify({ error, ...(jobId && { job_id: jobId }), ...(requestId && { request_id: requestId }) })}\n`;
}
