/** The standard `fetch`, or any function of the same form. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How long a client waits for a service that says nothing, in milliseconds. A service that waits too says so. */
export const longestSilenceMs = 600_000;

/**
 * The runtime's `fetch` with a longer response timeout.
 *
 * Node's `fetch` gives up after 300 s without a response and has no standard option for it, so the timeout goes through
 * Node's dispatcher. Where that is impossible, the retry after 300 s joins the job. `timeout` is Bun's option; other
 * runtimes ignore it.
 */
export const longTimeoutFetch: Fetch = (url, init) => {
  const dispatcher = longTimeoutDispatcher();
  const options: object = { timeout: false, ...(dispatcher && { dispatcher }) };
  return globalThis.fetch(url, { ...init, ...options });
};

type Dispatcher = { dispatch(options: object, handler: unknown): boolean };

// Node's fetch sends through the dispatcher at this symbol. An application may have set its own, for a proxy: keep it.
const globalDispatcher = Symbol.for("undici.globalDispatcher.1");
const knownMajors = new Set(["6", "7"]);

function longTimeoutDispatcher(): Dispatcher | undefined {
  const major = globalThis.process?.versions?.undici?.split(".")[0];
  const dispatcher = (globalThis as { [globalDispatcher]?: Dispatcher })[globalDispatcher];
  if (!major || !knownMajors.has(major) || typeof dispatcher?.dispatch !== "function") return undefined;
  return {
    dispatch: (options, handler) => dispatcher.dispatch({ ...options, headersTimeout: longestSilenceMs }, handler),
  };
}
