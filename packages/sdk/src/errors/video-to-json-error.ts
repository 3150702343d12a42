import type { ErrorInside, ProblemCode } from "../shapes.ts";

type Circumstances = {
  status: number;
  requestId: string | undefined;
  jobId: string | undefined;
  retryAfterSeconds: number | undefined;
};

/** The service refused the request, or the extraction failed (specification, "Errors"). */
export class VideoToJsonError extends Error {
  /** Stable: decide by this. */
  readonly code: ProblemCode;
  /** HTTP status. */
  readonly status: number;
  /** Specifics; `<JSON pointer>: <reason>` about a schema or an answer. */
  readonly details: readonly string[] | undefined;
  /** What to quote to support. */
  readonly requestId: string | undefined;
  /** The job that failed, when there was one; readable with `job(id)`. */
  readonly jobId: string | undefined;
  /** How long the service asks to wait before the next try. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether the same request can succeed later. It was tried again already, as often as `retries` says. */
  readonly retryable: boolean;

  constructor(inside: ErrorInside, circumstances: Circumstances) {
    super(inside.message);
    this.name = "VideoToJsonError";
    this.code = inside.code;
    this.status = circumstances.status;
    this.details = inside.details;
    this.requestId = circumstances.requestId;
    this.jobId = circumstances.jobId;
    this.retryAfterSeconds = circumstances.retryAfterSeconds;
    this.retryable = circumstances.status === 429 || circumstances.status >= 500;
  }
}
