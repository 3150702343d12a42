import { type Logger, pino } from "pino";
import { openLogDestination } from "./log-destination.ts";
import type { Metrics } from "./metrics.ts";
import { serializeError } from "./serialize-error.ts";

export type { Logger } from "pino";

/**
 * Creates the log of a process: one JSON line for each event, on standard output. Authorization headers and API keys are
 * redacted. Of errors only name, message, stack, code and causes are written. An output that cannot be written costs
 * lines of the log, which are counted, and nothing else.
 *
 * @param options.level the lowest level to write, such as "info".
 * @param options.name the name of the process, in every line.
 */
export function openLog(
  { logLinesDropped }: Pick<Metrics, "logLinesDropped">,
  options: { level: string; name: string },
): Logger {
  return pino(
    {
      level: options.level,
      base: { name: options.name, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => serializeError(error) },
      redact: ["authorization", "*.authorization", "apiKey", "*.apiKey"],
    },
    openLogDestination((lines) => logLinesDropped.inc(lines)),
  );
}
