import { type Fetch, patientFetch } from "./patient-fetch.ts";

/** How the service is reached. */
export type Connection = {
  readonly fetch: Fetch;
  /** Address without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How often a request is sent again at most. */
  readonly retries: number;
};

/** What a client is made of. */
export type ClientOptions = {
  /** A live key: `v2j_live_…`. It spends minutes: keep it on a server or in a shell, never in a browser. */
  apiKey: string;
  /** Where the service is, `https://…`; a path may stand before `/v1`. */
  baseUrl: string;
  /** Sends requests instead of the runtime's `fetch`. */
  fetch?: Fetch | undefined;
  /** How often a request that failed for a passing reason is sent again at most; 4 unless said. */
  retries?: number | undefined;
};

/** Judges a client's options. Throws a TypeError, which never shows the key. */
export function toConnection({ apiKey, baseUrl, fetch, retries = 4 }: ClientOptions): Connection {
  const key = typeof apiKey === "string" ? apiKey.trim() : "";
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new TypeError("apiKey is not an API key. Pass one as it was shown when it was made: v2j_live_…");
  }
  if (!Number.isInteger(retries) || retries < 0) throw new TypeError("retries is not a whole number. Pass 0 or more.");
  return { fetch: fetch ?? patientFetch, baseUrl: toBaseUrl(baseUrl), apiKey: key, retries };
}

function toBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError("baseUrl is not an http(s) address. Pass the service's own, such as https://api.example.com.");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
