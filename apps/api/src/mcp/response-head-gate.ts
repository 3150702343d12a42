/** Holds the head of a response back until it is known which job a call is about. */
export type ResponseHeadGate = {
  /** Resolves when `open` is called, or after one second, so that the client sees that the call is alive. */
  readonly opened: Promise<void>;
  open(): void;
};

const maxWaitMs = 1000;

/** Creates a gate. `Job-Id` is a response header, so it cannot be set once the head is sent. */
export function createResponseHeadGate(): ResponseHeadGate {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, maxWaitMs);
  return {
    opened: promise,
    open: () => {
      clearTimeout(timer);
      resolve();
    },
  };
}
