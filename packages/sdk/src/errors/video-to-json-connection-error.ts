type Circumstances = {
  cause?: unknown;
  status?: number | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  idempotencyKey?: string | undefined;
  retryable: boolean;
};

/**
 * No answer of the service came through: the connection could not be made or broke, or something else answered, such as
 * a proxy. Of an extraction it is not known whether it ran; `idempotencyKey` reads its answer later, without paying twice.
 */
export class VideoToJsonConnectionError extends Error {
  /** Send the same request with this key within 24 hours: it joins the job or gives its answer. */
  readonly idempotencyKey: string | undefined;
  /** HTTP status, when something answered. */
  readonly status: number | undefined;
  /** What to quote to support, when the answer had one. */
  readonly requestId: string | undefined;
  /** How long the answer asks to wait before the next try. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether another try can help. It was tried again already, as often as `retries` says. */
  readonly retryable: boolean;

  constructor(message: string, circumstances: Circumstances) {
    super(message, { cause: circumstances.cause });
    this.name = "VideoToJsonConnectionError";
    this.idempotencyKey = circumstances.idempotencyKey;
    this.status = circumstances.status;
    this.requestId = circumstances.requestId;
    this.retryAfterSeconds = circumstances.retryAfterSeconds;
    this.retryable = circumstances.retryable;
  }
}
