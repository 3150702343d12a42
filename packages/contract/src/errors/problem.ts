import type { ErrorInside } from "../shapes/error-body.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import { type ProblemCode, type ProblemParameters, problems } from "./problem-catalogue.ts";

type ProblemOptions = {
  /** The specific parts: `<JSON pointer>: <reason>` for anything about a schema or an answer. */
  details?: readonly string[] | undefined;
  /** Whole seconds for `Retry-After`, instead of the default of the code. */
  retryAfterSeconds?: number | undefined;
  /** What caused it. It is logged and never shown. */
  cause?: unknown;
};

type ProblemArguments = {
  [Code in ProblemCode]: [code: Code, parameters: ProblemParameters[Code], options?: ProblemOptions];
}[ProblemCode];

/** Only this file can write the key, so only `fromStored` can bring a message of its own. */
const storedMessage = Symbol("message");
type StoredArguments = [code: ProblemCode, stored: { [storedMessage]: string }, options: ProblemOptions];

const maxDetails = 50;
const maxDetailLength = 500;

/**
 * The one error class whose message reaches a caller (specification, "Errors"). Anything else that is thrown becomes
 * `internal_error`. The catalogue writes the message from the parameters of the code. At most 50 details of 500
 * characters are kept.
 *
 * @example
 * throw new Problem("video_unreachable", { reason: "The URL's host name was not found." }, { cause: error });
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: readonly string[] | undefined;
  /** Whole seconds for `Retry-After`; undefined for a code without that header. */
  readonly retryAfterSeconds: number | undefined;

  constructor(...[code, parameters, options = {}]: ProblemArguments | StoredArguments) {
    const entry: CatalogueEntry<unknown> = problems[code];
    const retryAfterSeconds = options.retryAfterSeconds ?? entry.retryAfterSeconds;
    const message =
      storedMessage in parameters ? parameters[storedMessage] : entry.message(parameters, retryAfterSeconds ?? 0);
    super(message, { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.details = options.details?.length ? options.details.slice(0, maxDetails).map(shorten) : undefined;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /**
   * Returns the problem that a failed job ended with, as it was stored: the message is kept word for word.
   * `retryAfterSeconds` is null where none was stored.
   */
  static fromStored({ code, message, details }: ErrorInside, retryAfterSeconds: number | null): Problem {
    const options = { details, retryAfterSeconds: retryAfterSeconds ?? undefined };
    return new Problem(code, { [storedMessage]: message }, options);
  }

  /** HTTP status of the code. */
  get status(): number {
    return problems[this.code].status;
  }

  /** The response headers that belong to the code: `Retry-After` or `WWW-Authenticate`, where it has one. */
  get headers(): Record<string, string> {
    const { challenge }: CatalogueEntry<unknown> = problems[this.code];
    return {
      ...(challenge === undefined ? {} : { "WWW-Authenticate": challenge }),
      ...(this.retryAfterSeconds === undefined ? {} : { "Retry-After": String(this.retryAfterSeconds) }),
    };
  }

  /** Returns the inside of the Error body (specification, "Error"). */
  toInside(): ErrorInside {
    const inside: ErrorInside = { code: this.code, message: this.message };
    if (this.details) inside.details = [...this.details];
    return inside;
  }
}

function shorten(detail: string): string {
  return detail.length <= maxDetailLength ? detail : `${detail.slice(0, maxDetailLength - 1)}…`;
}
