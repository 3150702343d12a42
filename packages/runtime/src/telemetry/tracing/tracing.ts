/** The attributes of a span: ids, names and numbers, never text that a caller wrote. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

/** One step of a trace that is in progress. */
export type RunningSpan = {
  /** Runs work within the span, so that everything it starts, calls and logs belongs to the span. */
  run<T>(work: () => T): T;
  /** Renames the span, if its name is known only at its end. */
  rename(name: string): void;
  /** Ends the span. `failure` is an error code. */
  end(attributes?: SpanAttributes, failure?: string): void;
};

/** The options of a new span. */
export type SpanOptions = {
  kind?: "server" | "consumer" | "internal";
  attributes?: SpanAttributes;
  /** The W3C `traceparent` of its parent. By default, the parent is the current span. */
  parent?: string | null | undefined;
};

/** Traces of requests, over the queue to the settlement of their jobs. */
export type Tracing = {
  readonly isOn: boolean;
  begin(name: string, options?: SpanOptions): RunningSpan;
  /** Runs work in a span of its own. */
  span<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Adds a span of `ms` milliseconds that ends now to the current one, such as a request. `failure` is an error code. */
  past(name: string, ms: number, attributes?: SpanAttributes, failure?: string): void;
  /** Returns the W3C `traceparent` of the current span; undefined without one. */
  traceParent(): string | undefined;
  /** Returns the ids of the current span for a line of the log. Undefined without traces. */
  readonly logFields: (() => object) | undefined;
  /** Sends the remaining spans, for two seconds at most. */
  close(): Promise<void>;
};

const noSpan: RunningSpan = { run: (work) => work(), rename() {}, end() {} };

/** No traces: nothing is loaded or measured. */
export const noTracing: Tracing = {
  isOn: false,
  begin: () => noSpan,
  past() {},
  span: (_name, work) => work(),
  traceParent: () => undefined,
  logFields: undefined,
  close: async () => {},
};

/**
 * Opens the traces of a process. They are off without an endpoint: OpenTelemetry is not even loaded then.
 *
 * @param options.endpoint the URL of a collector that takes OTLP over HTTP, without `/v1/traces`.
 * @param options.service the name of the process in the traces.
 */
export async function openTracing(options: { endpoint: string | undefined; service: string }): Promise<Tracing> {
  const { endpoint, service } = options;
  if (endpoint === undefined) return noTracing;
  const { startTracing } = await import("./start-tracing.ts");
  return startTracing({ endpoint, service });
}
