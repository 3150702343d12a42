import { type Fetch, longTimeoutFetch } from "./long-timeout-fetch.ts";

/** The validated options of a client. */
export type Connection = {
  readonly fetch: Fetch;
  /** The service's address without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How often a request is sent again at most. */
  readonly retries: number;
};

/** The options of `createClient`. */
export type ClientOptions = {
  /** An API key: `v2j_live_…`. It spends minutes: keep it on a server or in a shell, never in a browser. */
  apiKey: string;
  /** The service's address, `https://…`, with a path before `/v1` if the service has one. */
  baseUrl: string;
  /** Replaces the runtime's `fetch`, for a proxy, a custom certificate or a test. */
  fetch?: Fetch | undefined;
  /** How often a request is sent again after a transient error, at most. 4 by default; 0 means never. */
  retries?: number | undefined;
};

/** Validates a client's options. Throws a TypeError, which never contains the key. */
export function toConnection({ apiKey, baseUrl, fetch, retries = 4 }: ClientOptions): Connection {
  const key = typeof apiKey === "string" ? apiKey.trim() : "";
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new TypeError("apiKey is not an API key. Pass the whole key: v2j_live_…");
  }
  if (!Number.isInteger(retries) || retries < 0) {
    throw new TypeError("retries is not a whole number of at least 0. Pass one.");
  }
  return { fetch: fetch ?? longTimeoutFetch, baseUrl: toBaseUrl(baseUrl), apiKey: key, retries };
}

function toBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError("baseUrl is not an http(s) address. Pass one such as https://api.example.com.");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
