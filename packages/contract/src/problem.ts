import { type ProblemCode, problems } from "./problem-catalogue.ts";
import type { ErrorInside } from "./shapes/error-body.ts";

type ProblemOptions = {
  /** Specifics, `<JSON pointer>: <reason>` for anything about a schema or an answer. */
  details?: readonly string[];
  /** Whole seconds for `Retry-After`. */
  retryAfterSeconds?: number;
  /** What caused it; logged, never shown. */
  cause?: unknown;
};

const mostDetails = 50;
const longestDetail = 500;

/**
 * The one error class that reaches a caller. Everything else thrown becomes `internal_error`.
 * `message` is for humans and ends by saying what to do next; at most 50 details of 500 characters are kept.
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: readonly string[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ProblemCode, message: string, options: ProblemOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.details = options.details?.length ? options.details.slice(0, mostDetails).map(shorten) : undefined;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** HTTP status of the code. */
  get status(): number {
    return problems[this.code].status;
  }

  /** The inside of the Error body (specification, "Error"). */
  toInside(): ErrorInside {
    const inside: ErrorInside = { code: this.code, message: this.message };
    if (this.details) inside.details = [...this.details];
    return inside;
  }
}

function shorten(detail: string): string {
  return detail.length <= longestDetail ? detail : `${detail.slice(0, longestDetail - 1)}…`;
}
