import type { ErrorInside, ProblemCode } from "../shapes.ts";
import { markErrors } from "./brand.ts";

type Fields = {
  status: number;
  requestId: string | undefined;
  jobId: string | undefined;
  retryAfterSeconds: number | undefined;
};

/**
 * The service refused the request, or the job failed (specification, "Errors"). A failed job costs nothing.
 *
 * @example
 * ```ts
 * try {
 *   await client.extract({ video, schema });
 * } catch (error) {
 *   if (!(error instanceof VideoToJsonError)) throw error;
 *   if (error.code === "schema_invalid") console.error(error.message, error.details);
 *   else console.error(error.code, error.message, error.requestId);
 * }
 * ```
 */
export class VideoToJsonError extends Error {
  static {
    markErrors(VideoToJsonError.prototype, "VideoToJsonError");
  }

  /** The error's stable name, for programs. */
  readonly code: ProblemCode;
  /** HTTP status. */
  readonly status: number;
  /** The specific faults. Those of a schema or an answer read `<JSON pointer>: <reason>`. */
  readonly details: readonly string[] | undefined;
  /** The request's id, for support. */
  readonly requestId: string | undefined;
  /** The id of the failed job, if there is one. `job(id)` reads it. */
  readonly jobId: string | undefined;
  /** Seconds to wait before the next try, from the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether the same request can succeed later. The client has already tried again as often as `retries` allows. */
  readonly retryable: boolean;

  /**
   * @param inside The `error` member of the service's Error body.
   * @param fields The values that come from the response's status and headers.
   */
  constructor(inside: ErrorInside, fields: Fields) {
    super(inside.message);
    this.name = "VideoToJsonError";
    this.code = inside.code;
    this.status = fields.status;
    this.details = inside.details;
    this.requestId = fields.requestId;
    this.jobId = fields.jobId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.retryable = fields.status === 429 || fields.status >= 500;
  }
}
