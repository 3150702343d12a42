import type { ErrorInside } from "../shapes/service.ts";
import { type CatalogueEntry, type ProblemCode, type ProblemParameters, problems } from "./problem-catalogue.ts";

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

  /** The response headers that belong to the code: `Link` to its help, and `Retry-After` or `WWW-Authenticate` if it has one. */
  get headers(): Record<string, string> {
    const { challenge }: CatalogueEntry<unknown> = problems[this.code];
    return {
      Link: `</docs/guides/errors.md#${this.code}>; rel="help"`,
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

/**
 * Returns the problem with which an overdue job fails: `provider_unavailable`, or `too_many_jobs` if no worker started it
 * (docs/decisions/0001, "Limits").
 */
export function overdueProblem(started: boolean): Problem {
  return started
    ? new Problem("provider_unavailable", { reason: "No answer came in time." })
    : new Problem("too_many_jobs", { reason: "The job did not start in time, and nothing was charged." });
}

/**
 * Returns the problem for a schema that cannot be used. Its message names the first fault, for logs that keep only
 * messages.
 *
 * @param details at least one fault, `<JSON pointer>: <reason>` each.
 */
export function schemaInvalid(details: readonly string[]): Problem {
  return new Problem("schema_invalid", { faults: details }, { details });
}

/** The monthly limit of a key, and the part of it that is used. */
type KeyLimit = { name: string; display: string; limitSeconds: number; usedSeconds: number; monthEndsAt: Date };

/**
 * Returns the problem for a job whose seconds would exceed the monthly limit of its key. Its details contain the key
 * and the figures (docs/decisions/0001, "Dashboard and accounts").
 *
 * @param neededSeconds the price of the job, or its minimum.
 */
export function keyLimitReached({ name, display, monthEndsAt, ...limit }: KeyLimit, neededSeconds: number): Problem {
  const key = `${JSON.stringify(name)} (${display}…)`;
  const monthEnd = monthEndsAt.toISOString();
  const details = [
    `key: ${key}`,
    `limit: ${limit.limitSeconds} s a calendar month (UTC)`,
    `used: ${limit.usedSeconds} s, with what running jobs hold`,
    `month ends: ${monthEnd}`,
  ];
  return new Problem("out_of_minutes", { key, ...limit, neededSeconds, monthEnd }, { details });
}

/** Returns the problem of an account whose jobs have cost the operator's ceiling of a day at the provider. */
export function overCeiling(): Problem {
  const reason =
    "The jobs of this account have used what the operator of this service allows an account in a day (UTC). Retry tomorrow, or ask the operator for more.";
  return new Problem(
    "rate_limited",
    { reason },
    { retryAfterSeconds: Math.ceil((dayMs - (Date.now() % dayMs)) / 1000) },
  );
}

const dayMs = 86_400_000;

/** Returns the problem of an account without a paid grant that has cost what its free seconds cover. */
export function overBudget(): Problem {
  const reason =
    "This account has used what its free minutes cover: jobs that fail, `detail: high`, second looks and evidence use it too. Ask the operator of this service for minutes.";
  return new Problem("rate_limited", { reason }, { retryAfterSeconds: 24 * 3600 });
}
