/** What `fetch` is to this package: the standard one, or any function of its form. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

// Longer than any job: 480 s, and what a busy service adds.
const longestSilenceMs = 600_000;

/**
 * The runtime's own `fetch`, made to wait as long as a job may take. Node's gives up after 300 s without an answer and
 * has no standard way to say otherwise; where this way is not open, the request is sent again after that time and joins
 * its job. `timeout` lifts Bun's limit, and others pass it over.
 */
export const patientFetch: Fetch = (url, init) => {
  const dispatcher = patientDispatcher();
  const patience: object = { timeout: false, ...(dispatcher && { dispatcher }) };
  return globalThis.fetch(url, { ...init, ...patience });
};

type Dispatcher = { dispatch(options: object, handler: unknown): boolean };

// Where Node keeps what its fetch sends with. An application may have put its own there, for a proxy: it stays in charge.
const dispatcherPlace = Symbol.for("undici.globalDispatcher.1");
const knownMajors = new Set(["6", "7"]);

function patientDispatcher(): Dispatcher | undefined {
  const major = globalThis.process?.versions?.undici?.split(".")[0];
  const dispatcher = (globalThis as { [dispatcherPlace]?: Dispatcher })[dispatcherPlace];
  if (!major || !knownMajors.has(major) || typeof dispatcher?.dispatch !== "function") return undefined;
  return {
    dispatch: (options, handler) => dispatcher.dispatch({ ...options, headersTimeout: longestSilenceMs }, handler),
  };
}
