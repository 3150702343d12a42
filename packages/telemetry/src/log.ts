import { type Logger, pino } from "pino";
import { serializeError } from "./serialize-error.ts";

export type { Logger } from "pino";

/**
 * Opens a process's log: one JSON line an event on standard output, with the process's name. Headers that carry
 * credentials and anything called a key are never written, nor what an error carries besides its message.
 */
export function openLog(options: { level: string; name: string }): Logger {
  return pino({
    level: options.level,
    base: { name: options.name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => serializeError(error) },
    redact: ["authorization", "*.authorization", "apiKey", "*.apiKey"],
  });
}
