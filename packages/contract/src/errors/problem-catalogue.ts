import type { Limits } from "../limits.ts";

type None = Record<string, never>;
/** The reason, in one or two whole sentences. The entry adds its advice. */
type Reason = { reason: string };

const notCharged = "Nothing was charged.";
const advice = {
  unauthorised:
    "Send a live key as `Authorization: Bearer <API_KEY>`; make a key at `<PUBLIC_URL>/dashboard/keys`, or ask the operator for one.",
  schemaInvalid: "Correct the schema as `details` says.",
  videoUnreachable: "Send a public http(s) URL that answers with the video.",
  notTheFile: "Send the address of the video file itself, not of a page or a list that leads to it.",
  notMoving: "Send a file with moving pictures; an animated image has to be converted to a video first.",
  mediaUnreadable: "Re-encode the video; H.264 in MP4 is safe.",
  videoTooLong: "Send the part that matters as a clip, or trim the video.",
  fileTooLarge: "Re-encode the video at a lower bitrate.",
  outOfMinutes: `Get more minutes as the message says. ${notCharged}`,
  keyLimit: `Use another key, or wait for the end of the month. ${notCharged}`,
  tooManyJobs: "Retry when one of the account's requests has finished.",
  extractionFailed: `Loosen the schema, mark speculative fields optional, or add instructions. ${notCharged}`,
  idempotencyMismatch: "Use a new Idempotency-Key, or send the same request.",
  notFound: "Check the path, the method and the id.",
  internalError: `Retry, and quote the X-Request-Id to support if it happens again. ${notCharged}`,
};

const unauthorisedReasons = {
  missing: "The request has no API key.",
  malformed: "The Authorization header is malformed.",
  unknown: "The API key is unknown, mistyped or revoked.",
  revoked: "The API key was revoked, or ended, while the request was being received.",
  ended: "The end date of this API key has passed.",
  read_only: "This API key has the scope `read`: it can neither extract nor delete.",
  account_deleted: "The account of this API key was deleted.",
};

/** The dashboard accepts sessions and no keys. */
const noSession =
  "You are not signed in, or your session has ended. Sign in to the dashboard; an API key does not open it.";

/** The limit of a key that a job of `neededSeconds` would exceed. `key` is its name, `monthEnd` an RFC 3339 time. */
type ReachedKeyLimit = {
  key: string;
  limitSeconds: number;
  usedSeconds: number;
  neededSeconds: number;
  monthEnd: string;
};

const extractionFailures = {
  no_conforming_answer: `No answer conformed to the schema. ${advice.extractionFailed}`,
  impossible_schema: `No answer can conform to the schema, so no model was asked. Correct the part of it that \`details\` names. ${notCharged}`,
  request_too_large: `The video, the schema and the instructions together are too large to analyse. Shorten the schema or the instructions, or trim the video. ${notCharged}`,
};

const schemaFaultExample = '/goals/0/player: write "string?"; `|` separates the words of an enum, not types';

const tooLargeThings = {
  upload: "The upload is larger than",
  form: "The form is larger than",
  download: "The file at the URL is larger than",
  video: "The video is larger than",
};

/**
 * The one error catalogue (specification, "Errors"). Codes are the stable contract. HTTP answers, the interface
 * description, docs/errors.md, MCP results, the SDK and the CLI's exit codes derive from these entries.
 */
export const problems = {
  unauthorised: entry<{ reason: keyof typeof unauthorisedReasons | "no_session"; keysUrl?: string | undefined }>({
    status: 401,
    title: "The request has no live API key, or the scope of its key does not allow it.",
    scope: "any",
    retryable: false,
    challenge: 'Bearer realm="video-to-json"',
    advice: advice.unauthorised,
    message: ({ reason, keysUrl }) =>
      reason === "no_session"
        ? noSession
        : `${unauthorisedReasons[reason]} ${keysUrl ? advice.unauthorised.replace("<PUBLIC_URL>/dashboard/keys", keysUrl) : advice.unauthorised}`,
    example: () => ({ parameters: { reason: "unknown" } }),
  }),
  schema_missing: entry<None>({
    status: 400,
    title: "The request has no schema.",
    scope: "extraction",
    retryable: false,
    advice: "Send a `schema` field: a sketch or a JSON Schema.",
    message: () =>
      'The request has no `schema`. Send a sketch or a JSON Schema as `schema`, such as {"title": "string"}.',
    example: () => ({ parameters: {} }),
  }),
  /** `faults` are the details: each fault of the schema, with its place. */
  schema_invalid: entry<{ faults: readonly string[] }>({
    status: 400,
    title: "The schema cannot be used.",
    scope: "extraction",
    retryable: false,
    advice: advice.schemaInvalid,
    message: ({ faults }) => `${schemaFaults(faults)} ${advice.schemaInvalid}`,
    example: () => ({ parameters: { faults: [schemaFaultExample] }, details: [schemaFaultExample] }),
  }),
  video_missing: entry<{ accepted: "file or URL" | "URL" }>({
    status: 400,
    title: "The request has no video.",
    scope: "extraction",
    retryable: false,
    advice: "Send a `video` file or a `video_url`.",
    message: ({ accepted }) =>
      accepted === "URL"
        ? "The call has no `video_url`. Send a URL that answers with the video; a local file goes to `POST /v1/extract`."
        : "The request has no video. Send a `video` file (multipart) or a `video_url`.",
    example: () => ({ parameters: { accepted: "file or URL" } }),
  }),
  video_unreachable: entry<Reason>({
    status: 400,
    title: "The video cannot be downloaded.",
    scope: "extraction",
    retryable: false,
    advice: advice.videoUnreachable,
    message: ({ reason }) => `${reason} ${advice.videoUnreachable}`,
    example: () => ({ parameters: { reason: "The URL's host name was not found." } }),
  }),
  /** `isAnswer`: the server of the URL answered with this reason. `isNotMoving`: the file is an image or a sound. */
  media_unreadable: entry<Reason & { isAnswer?: boolean; isNotMoving?: boolean }>({
    status: 415,
    title: "The file cannot be read as a video.",
    scope: "extraction",
    retryable: false,
    advice: advice.mediaUnreadable,
    message: ({ reason, isAnswer, isNotMoving }) => {
      if (isNotMoving) return `${reason} ${advice.notMoving}`;
      return `${reason} ${isAnswer ? advice.notTheFile : advice.mediaUnreadable}`;
    },
    example: () => ({ parameters: { reason: "The file cannot be read as a video." } }),
  }),
  /** `exact` is false when measuring stopped at `seconds`, before the end of the video. */
  video_too_long: entry<{ seconds: number; exact: boolean; maxSeconds: number }>({
    status: 413,
    title: "The video is too long.",
    scope: "extraction",
    retryable: false,
    advice: advice.videoTooLong,
    message: ({ seconds, exact, maxSeconds }) => {
      const length = exact ? `${seconds.toFixed(3)} s` : `more than ${Math.floor(seconds)} s`;
      return `The video is ${length} long; the limit is ${maxSeconds} s. ${advice.videoTooLong}`;
    },
    example: ({ maxVideoSeconds }) => ({
      parameters: { seconds: maxVideoSeconds + 154, exact: true, maxSeconds: maxVideoSeconds },
    }),
  }),
  /** Without `maxBytes`, the limit is the provider's, which is unknown. */
  file_too_large: entry<{ what: keyof typeof tooLargeThings; maxBytes?: number }>({
    status: 413,
    title: "The file is too large.",
    scope: "extraction",
    retryable: false,
    advice: advice.fileTooLarge,
    message: ({ what, maxBytes }) => {
      const limit = maxBytes === undefined ? "can be analysed" : sizeOf(maxBytes);
      const other = what === "upload" || what === "form" ? "; a `video_url` may lead to a larger file" : "";
      return `${tooLargeThings[what]} ${limit}${other}. ${advice.fileTooLarge}`;
    },
    example: ({ maxUploadBytes }) => ({ parameters: { what: "upload", maxBytes: maxUploadBytes } }),
  }),
  /**
   * With `availableSeconds`, `neededSeconds` is the minimum price. Without, it is the price of the measured video.
   * `moreMinutes` is what the operator says about the way to more.
   */
  out_of_minutes: entry<{ neededSeconds: number; availableSeconds?: number; moreMinutes: string } | ReachedKeyLimit>({
    status: 402,
    title: "The account has too few minutes, or the key has reached its monthly limit.",
    scope: "extraction",
    retryable: false,
    advice: `${advice.outOfMinutes} If \`details\` name a key, its monthly limit is reached: use another key, or wait for the end of the month.`,
    message: (given) => {
      if ("key" in given) return `${keyLimitReached(given)} ${advice.keyLimit}`;
      const reason =
        given.availableSeconds === undefined
          ? `The video costs ${given.neededSeconds} s, which the balance does not cover.`
          : `The account has ${given.availableSeconds} s left, and a job costs at least ${given.neededSeconds} s.`;
      return `${reason} ${given.moreMinutes} ${notCharged}`;
    },
    example: ({ minimumBilledSeconds: neededSeconds, moreMinutes }) => ({
      parameters: { neededSeconds, availableSeconds: Math.floor(neededSeconds * 0.7), moreMinutes },
    }),
  }),
  too_many_jobs: entry<Reason>({
    status: 429,
    title: "The account has too many open jobs.",
    scope: "extraction",
    retryable: true,
    retryAfterSeconds: 5,
    advice: advice.tooManyJobs,
    message: ({ reason }, retryAfterSeconds) => `${reason} ${advice.tooManyJobs} Try in ${retryAfterSeconds} s.`,
    example: ({ maxJobsPerAccount }) => ({
      parameters: { reason: `${maxJobsPerAccount} jobs of this account are queued or running.` },
    }),
  }),
  rate_limited: entry<Reason>({
    status: 429,
    title: "Too many requests came in one minute, or too many jobs of the last hour failed.",
    scope: "any",
    retryable: true,
    retryAfterSeconds: 60,
    advice: "Retry after the time in `Retry-After`.",
    message: ({ reason }, retryAfterSeconds) => `${reason} Retry in ${retryAfterSeconds} s.`,
    example: ({ extractionsPerMinute }) => ({
      parameters: { reason: `This account sent more than ${extractionsPerMinute} requests of this kind in a minute.` },
      retryAfterSeconds: 17,
    }),
  }),
  extraction_failed: entry<{ reason: keyof typeof extractionFailures }>({
    status: 422,
    title: "No answer conformed to the schema. No data is returned.",
    scope: "extraction",
    retryable: false,
    advice: advice.extractionFailed,
    message: ({ reason }) => extractionFailures[reason],
    example: () => ({
      parameters: { reason: "no_conforming_answer" },
      details: [
        '/goals/0/team: must be one of "home", "away"',
        "/goals/1/at: is past the end of the video, which ends at 04:07",
      ],
    }),
  }),
  provider_unavailable: entry<Reason>({
    status: 503,
    title: "The provider, or this service, is unavailable for now.",
    scope: "any",
    retryable: true,
    retryAfterSeconds: 30,
    advice: `Retry with backoff. ${notCharged}`,
    message: ({ reason }, retryAfterSeconds) =>
      `${reason} Retry in ${retryAfterSeconds} s, then with backoff. ${notCharged}`,
    example: () => ({ parameters: { reason: "No answer came in time." } }),
  }),
  /** `reason` also says what to do, because every invalid request needs another correction. */
  invalid_request: entry<Reason>({
    status: 400,
    title: "The request is wrong.",
    scope: "any",
    retryable: false,
    advice: "Correct the request as the message says.",
    message: ({ reason }) => reason,
    example: () => ({ parameters: { reason: "The Host header is missing. Send it." } }),
  }),
  idempotency_mismatch: entry<None>({
    status: 409,
    title: "The Idempotency-Key belongs to another request.",
    scope: "extraction",
    retryable: false,
    advice: advice.idempotencyMismatch,
    message: () => `This Idempotency-Key was used for a different request. ${advice.idempotencyMismatch}`,
    example: () => ({ parameters: {} }),
  }),
  not_found: entry<{ reason?: string }>({
    status: 404,
    title: "Nothing was found.",
    scope: "lookup",
    retryable: false,
    advice: advice.notFound,
    message: ({ reason = `Nothing was found here. ${advice.notFound}` }) => reason,
    example: () => ({ parameters: {} }),
  }),
  /** With `jobId`, the job may still run or may have been charged, so the caller reads it before retrying. */
  internal_error: entry<{ reason?: string; jobId?: string }>({
    status: 500,
    title: "The service failed.",
    scope: "any",
    retryable: true,
    advice: advice.internalError,
    message: ({ reason = "Something went wrong in the service.", jobId }) =>
      jobId === undefined
        ? `${reason} ${advice.internalError}`
        : `${reason} Read GET /v1/jobs/${jobId} before you retry (an agent: recent_extractions with this id): if that job is not found or failed, nothing was charged.`,
    example: () => ({ parameters: {} }),
  }),
} as const;

/** A code of the catalogue. */
export type ProblemCode = keyof typeof problems;

/** The parameters of each code's message. */
export type ProblemParameters = {
  readonly [Code in ProblemCode]: Parameters<(typeof problems)[Code]["message"]>[0];
};

/** Every code, in the order of the catalogue. */
export const problemCodes = Object.keys(problems) as ProblemCode[];

/** Returns a sentence with the first fault. The empty JSON pointer of a fault at the root is left out. */
function schemaFaults([first = "", ...more]: readonly string[]): string {
  const shown = first.replace(/^: /, "").slice(0, 300);
  const others = more.length > 0 ? ` (and ${more.length} more)` : "";
  return shown === "" ? "The schema cannot be used." : `The schema cannot be used: ${shown}${others}.`;
}

function keyLimitReached({ key, limitSeconds, usedSeconds, neededSeconds, monthEnd }: ReachedKeyLimit): string {
  return `The key ${key} may spend ${limitSeconds} s a month. ${usedSeconds} s are spent or held for running jobs, and this job costs at least ${neededSeconds} s. The month ends at ${monthEnd}.`;
}

function sizeOf(bytes: number): string {
  const MiB = 1024 ** 2;
  return bytes % MiB === 0 ? `${bytes / MiB} MiB` : `${bytes} bytes`;
}

/** One code of the error catalogue, with every fact about it. */
export type CatalogueEntry<Parameters> = {
  /** HTTP status of the response (docs/decisions/0001). */
  readonly status: number;
  /** What happened, as one short sentence for the interface description. */
  readonly title: string;
  /**
   * Which operations may fail with the code: any, those that start an extraction, or those that look up one thing. The
   * interface description lists it there.
   */
  readonly scope: "any" | "extraction" | "lookup";
  /** Whether the same request can succeed later. */
  readonly retryable: boolean;
  /** Whole seconds for `Retry-After`, if the code that throws gives no other number. */
  readonly retryAfterSeconds?: number;
  /** Value of the `WWW-Authenticate` header. */
  readonly challenge?: string;
  /** What the caller does next. */
  readonly advice: string;
  /** Returns the message for people: what is wrong, then what to do. `retryAfterSeconds` is 0 without `Retry-After`. */
  message(parameters: Parameters, retryAfterSeconds: number): string;
  /** The example in the interface description of a service with these limits. */
  example(limits: Limits): {
    readonly parameters: Parameters;
    readonly details?: readonly string[];
    readonly retryAfterSeconds?: number;
  };
};

/** Returns the entry unchanged; the compiler checks that its example has the parameters of its message. */
function entry<Parameters>(facts: CatalogueEntry<Parameters>): CatalogueEntry<Parameters> {
  return facts;
}
