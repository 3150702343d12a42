/** The options of a call that reads. */
export type CallOptions = {
  /** Ends the call with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long one try may take, in milliseconds. The client's timeout by default. Infinity means unlimited. */
  timeout?: number | undefined;
  /** How many times at most the request is sent again after a transient error. The client's number by default. */
  retries?: number | undefined;
};

/** Returns a number of retries. Throws a TypeError for anything but a whole number of at least 0. */
export function toRetries(retries: number): number {
  if (Number.isInteger(retries) && retries >= 0) return retries;
  throw new TypeError("retries is not a whole number of at least 0. Pass one.");
}

/** Returns a timeout in milliseconds. Throws a TypeError for anything but a positive number. */
export function toTimeout(timeout: number): number {
  if (typeof timeout === "number" && timeout > 0) return timeout;
  throw new TypeError("timeout is not a positive number of milliseconds. Pass one, or Infinity.");
}
