import { type Logger, pino } from "pino";
import type { Metrics } from "../metrics/open-metrics.ts";
import { openLogDestination } from "./log-destination.ts";

/** An error in the form that the log shows. */
type SerializedError = {
  type: string;
  message: string;
  stack?: string;
  code?: string;
  cause?: unknown;
  errors?: unknown[];
};

const maxDepth = 5;
const maxErrors = 5;

/**
 * Returns the parts of an error that the log may show: its name, message, stack and code, and the same of its causes.
 * Other properties are left out because they can contain callers' data: a database error quotes the refused row, a
 * Problem quotes an answer.
 */
export function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === "object" && error !== null ? "[an object]" : error;
  const { name, message, stack, cause } = error;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  const serialized: SerializedError = { type: name, message };
  if (stack !== undefined) serialized.stack = stack;
  if (typeof code === "string" || typeof code === "number") serialized.code = String(code);
  if (depth === maxDepth) return serialized;
  if (cause !== undefined) serialized.cause = serializeError(cause, depth + 1);
  if (Array.isArray(errors))
    serialized.errors = errors.slice(0, maxErrors).map((one) => serializeError(one, depth + 1));
  return serialized;
}

export type { Logger } from "pino";

type LogDeps = Pick<Metrics, "logLinesDropped"> & {
  /** Returns fields for every line, such as the ids of the current trace. No fields by default. */
  readonly fields?: (() => object) | undefined;
};

/**
 * Creates the log of a process: one JSON line for each event, on standard output (docs/operating.md, "Logs"). Levels
 * are names. Authorization headers and API keys are redacted. Errors are written with their name, message, stack, code
 * and causes only. If the output cannot be written, lines of the log are lost and counted. Nothing else fails.
 *
 * @param options.level the lowest level to write, such as "info".
 * @param options.name the name of the process, in every line.
 */
export function openLog({ logLinesDropped, fields }: LogDeps, options: { level: string; name: string }): Logger {
  return pino(
    {
      level: options.level,
      base: { name: options.name, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      serializers: { err: (error: unknown) => serializeError(error) },
      redact: ["authorization", "*.authorization", "apiKey", "*.apiKey"],
      ...(fields && { mixin: fields }),
    },
    openLogDestination((lines) => logLinesDropped.inc(lines)),
  );
}
