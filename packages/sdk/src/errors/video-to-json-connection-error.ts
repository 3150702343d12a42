import { markErrors } from "./brand.ts";

type Fields = {
  cause?: unknown;
  status?: number | undefined;
  requestId?: string | undefined;
  jobId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  idempotencyKey?: string | undefined;
  retryable: boolean;
};

/**
 * No answer of the service arrived: the connection failed, or something else answered, such as a proxy. After an
 * extraction it is unknown whether the job ran; `idempotencyKey` reads its answer later without a second charge.
 *
 * @example
 * ```ts
 * try {
 *   return await client.extract({ video, schema });
 * } catch (error) {
 *   if (!(error instanceof VideoToJsonConnectionError) || !error.idempotencyKey) throw error;
 *   await saveForLater({ video, schema, idempotencyKey: error.idempotencyKey });
 * }
 * ```
 */
export class VideoToJsonConnectionError extends Error {
  static {
    markErrors(VideoToJsonConnectionError.prototype, "VideoToJsonConnectionError");
  }

  /** Send the same request with this idempotency key again: it joins the job or returns its answer. */
  readonly idempotencyKey: string | undefined;
  /** HTTP status, if an HTTP response arrived. */
  readonly status: number | undefined;
  /** The request's id, for support, if the response had one. */
  readonly requestId: string | undefined;
  /** The id of the job, if the service had named it before the connection broke. `job(id)` reads it. */
  readonly jobId: string | undefined;
  /** Seconds to wait before the next try, from the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether another try can succeed. The client has already tried again as often as `retries` allows. */
  readonly retryable: boolean;

  /**
   * @param message What went wrong and what to do. It must not contain the API key.
   * @param fields The values of this error's properties, and `cause`.
   */
  constructor(message: string, fields: Fields) {
    super(message, { cause: fields.cause });
    this.name = "VideoToJsonConnectionError";
    this.idempotencyKey = fields.idempotencyKey;
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.jobId = fields.jobId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.retryable = fields.retryable;
  }
}
