import { Problem, problems } from "@video-to-json/contract";
import { VideoToJsonConnectionError, VideoToJsonError } from "video-to-json";
import { type Colours, printable } from "../terminal.ts";
import { CommandError } from "./command-error.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";

/** The report of a failed command. */
export type Failure = {
  exitCode: number;
  code: string;
  message: string;
  details?: readonly string[] | undefined;
  requestId?: string | undefined;
  jobId?: string | undefined;
};

/** Returns the report of any thrown value, without a stack trace. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) {
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
  return {
    exitCode: exitCodes.failed,
    code: "failed",
    message: message || "The command failed without a message. Try again.",
  };
}

/** Formats a failure as text of several lines. `source` is the video that it concerns, if there are several. */
export function failureText(failure: Failure, { paint }: Pick<Colours, "paint">, source?: string): string {
  const { code, details = [], requestId, jobId } = failure;
  // The message about a schema's faults repeats the first of the details that follow here.
  const message = code === "schema_invalid" && details.length > 0 ? problems.schema_invalid.title : failure.message;
  const about = source === undefined ? "" : `${printable(source)}: `;
  const lines = [
    `${about}${paint("red", "error")} ${paint("dim", `(${code})`)}: ${message.split("\n").map(printable).join("\n")}`,
    ...details.map((detail) => `  ${printable(detail.replace(/^:/, "(root):"))}`),
    ...(jobId ? [`job id: ${printable(jobId)}`] : []),
    ...(requestId ? [`request id: ${printable(requestId)}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * Formats a failure as one line of JSON: the Error body (specification, "Error") with the job id, the request id and the
 * video that it is about, if there are several.
 */
export function failureJson({ code, message, details, requestId, jobId }: Failure, source?: string): string {
  const error = { code, message, ...(details?.length ? { details } : {}) };
  return `${JSON.stringify({ ...(source !== undefined && { source }), error, ...(jobId && { job_id: jobId }), ...(requestId && { request_id: requestId }) })}\n`;
}
