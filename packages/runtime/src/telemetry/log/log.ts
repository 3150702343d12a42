import { type Logger, pino } from "pino";
import type { Metrics } from "../metrics/open-metrics.ts";
import { openLogDestination } from "./log-destination.ts";
import { serializeError } from "./serialize-error.ts";

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
