import { type Logger, toSafeLogger } from "./logger.ts";
import { type Fetch, longTimeoutFetch } from "./long-timeout-fetch.ts";
import { toRetries, toTimeout } from "./request.ts";

/** The validated options of a client. */
export type Connection = {
  readonly fetch: Fetch;
  /** The service's address without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How many times at most a request is sent again. */
  readonly retries: number;
  /** How long one try of a read may take, in milliseconds. */
  readonly timeout: number;
  readonly log: Logger;
};

/** The options of `createClient`. */
export type ClientOptions = {
  /**
   * An API key: `v2j_live_…`. It spends minutes: keep it on a server or in a shell, never in a browser. By default the
   * environment variable VIDEO_TO_JSON_API_KEY.
   */
  apiKey?: string | undefined;
  /**
   * The service's address, `https://…`, with a path before `/v1` if the service has one. By default the environment
   * variable VIDEO_TO_JSON_URL.
   */
  baseUrl?: string | undefined;
  /** Replaces the runtime's `fetch`, for a proxy, a custom certificate or a test. */
  fetch?: Fetch | undefined;
  /** How often a request is sent again after a transient error, at most. 4 by default; 0 means never. */
  retries?: number | undefined;
  /**
   * How long one try of a call that reads may take, in milliseconds; 30,000 by default. Infinity means unlimited. It
   * does not apply to `extract`, which ends with its job and has its own `timeout`.
   */
  timeout?: number | undefined;
  /** Receives every response, retry and broken connection, for a log. */
  logger?: Logger | undefined;
};

const defaultTimeoutMs = 30_000;

/** Validates a client's options. Throws a TypeError, which never contains the key. */
export function toConnection(options: ClientOptions): Connection {
  const { apiKey = variable("VIDEO_TO_JSON_API_KEY"), baseUrl = variable("VIDEO_TO_JSON_URL"), fetch } = options;
  if (apiKey === undefined) throw new TypeError("apiKey is missing. Pass it, or set VIDEO_TO_JSON_API_KEY.");
  if (baseUrl === undefined) throw new TypeError("baseUrl is missing. Pass it, or set VIDEO_TO_JSON_URL.");
  return {
    fetch: fetch ?? longTimeoutFetch,
    baseUrl: toBaseUrl(baseUrl),
    apiKey: toKey(apiKey),
    retries: toRetries(options.retries ?? 4),
    timeout: toTimeout(options.timeout ?? defaultTimeoutMs),
    log: toSafeLogger(options.logger),
  };
}

/** Returns an environment variable that is set and not blank. Runtimes without an environment have none. */
function variable(name: string): string | undefined {
  const { env }: { env?: Partial<Record<string, string>> } = globalThis.process ?? {};
  return env?.[name]?.trim() || undefined;
}

function toKey(apiKey: unknown): string {
  const key = typeof apiKey === "string" ? apiKey.trim() : "";
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new TypeError("apiKey is not an API key. Pass the whole key: v2j_live_…");
}

function toBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError("baseUrl is not an http(s) address. Pass one such as https://api.example.com.");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
