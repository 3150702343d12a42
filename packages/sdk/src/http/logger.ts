/** A step of the client for a log. It never contains the API key or the data. A warning quotes its place of the schema. */
export type LogEntry = {
  /** `debug`: a response arrived. `warn`: something failed, which the client repairs where it can, or a warning of the service. */
  level: "debug" | "warn";
  message: string;
  method?: string;
  path?: string;
  status?: number | undefined;
  /** From sending the request to the end of its response, in milliseconds. */
  durationMs?: number;
  /** The delay before the next try, in milliseconds. */
  delayMs?: number;
  requestId?: string | undefined;
  jobId?: string | undefined;
  /** The failure. */
  error?: unknown;
};

/** Receives the client's steps. Errors that it throws are ignored. */
export type Logger = (entry: LogEntry) => void;

/** Returns a logger that cannot fail. */
export function toSafeLogger(logger: Logger | undefined): Logger {
  return (entry) => {
    try {
      logger?.(entry);
    } catch {
      // A log must not end an extraction.
    }
  };
}
