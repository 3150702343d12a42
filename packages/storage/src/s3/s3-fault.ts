import type { S3Address } from "@video-to-json/contract";

/** The storage server refused or did not answer. The message says what an operator can do. */
export class S3Fault extends Error {
  /** The server's or the system's name of the fault, such as NoSuchBucket or ECONNREFUSED. */
  readonly code: string;

  constructor(code: string, message: string, options: ErrorOptions) {
    super(message, options);
    this.name = "S3Fault";
    this.code = code;
  }
}

/** Returns the error for a version of a deleted object that stays in the bucket. */
export function versionKept(cause?: unknown): Error {
  return Object.assign(new Error("a version of a deleted object stays", { cause }), { code: "VersionKept" });
}

type Place = Pick<S3Address, "bucket" | "endpoint">;

/** Returns the fault behind an error of the SDK, with advice. */
export function asS3Fault(error: unknown, place: Place): S3Fault {
  if (error instanceof S3Fault) return error;
  const code = codeOf(error);
  return new S3Fault(code, adviceFor(code, place), { cause: error });
}

/** Returns whether the server says that there is no such object or unfinished upload. */
export function isAbsent(error: unknown): boolean {
  return ["NoSuchKey", "NoSuchUpload", "NotFound"].includes(codeOf(error));
}

/**
 * Returns whether the server does not know the operation. Some servers call such a request wrong, or its address
 * unknown.
 */
export function isUnsupported(error: unknown): boolean {
  return [400, 404, 405, 501].includes(statusOf(error) ?? 0) && !(codeOf(error) in advice);
}

/** Returns whether the key is right but may not do this. */
export function isForbidden(error: unknown): boolean {
  return ["AccessDenied", "AllAccessDisabled", "Forbidden"].includes(codeOf(error));
}

/** Returns whether the server asks for a pause. */
export function isOverloaded(error: unknown): boolean {
  return [429, 503].includes(statusOf(error) ?? 0);
}

/** Returns whether the same request may succeed soon without an operator. */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined ? networkFaults.has(codeOf(error)) : status >= 500 || status === 429;
}

/** Returns whether the error comes from the server or the network, and not from this machine. */
export function isOfServer(error: unknown): boolean {
  return statusOf(error) !== undefined || codeOf(error) in advice || networkFaults.has(codeOf(error));
}

/** Returns the most telling name in an error and its causes. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && typeof error.code === "string" && error.code !== "") return error.code;
  if ("Code" in error && typeof error.Code === "string") return error.Code;
  if (/region is missing/i.test(error.message)) return "RegionMissing";
  return error.name === "Error" && error.cause !== undefined ? codeOf(error.cause) : error.name;
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof S3Fault) return statusOf(error.cause);
  const { httpStatusCode } = ("$metadata" in error ? error.$metadata : {}) as { httpStatusCode?: number };
  return httpStatusCode;
}

const networkFaults = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "TimeoutError",
  "AbortError",
]);

const wrongKey = "The server refused the access key. Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.";
const wrongEncryption =
  "The key of the bucket's encryption cannot be used. Enable it, or correct `encryption-key` in STORAGE_URL.";
const wrongRegion = "The bucket is in another region. Set `region` in STORAGE_URL.";

const advice: Readonly<Record<string, string>> = {
  NoSuchBucket: "There is no such bucket. Create it, or correct STORAGE_URL.",
  InvalidBucketName: "The server does not allow this bucket name. Correct STORAGE_URL.",
  InvalidAccessKeyId: wrongKey,
  SignatureDoesNotMatch: wrongKey,
  InvalidToken: wrongKey,
  ExpiredToken: "The session token has expired. Renew AWS_SESSION_TOKEN.",
  AccessDenied:
    "The access key may not do this. Allow it the actions that docs/operating.md lists, or set `encryption` if the bucket demands it.",
  AllAccessDisabled:
    "The access key may not do this. Allow it the actions that docs/operating.md lists, or set `encryption` if the bucket demands it.",
  Forbidden:
    "The access key may not do this. Allow it the actions that docs/operating.md lists, or set `encryption` if the bucket demands it.",
  VersionKept:
    "The bucket keeps versions of deleted videos. Turn its versioning off; or allow the access key s3:ListBucketVersions and s3:DeleteObjectVersion, and turn object lock off.",
  CredentialsProviderError: "There is no access key. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
  "KMS.DisabledException": wrongEncryption,
  "KMS.NotFoundException": wrongEncryption,
  "KMS.InvalidStateException": wrongEncryption,
  "KMS.KMSInvalidStateException": wrongEncryption,
  RequestTimeTooSkewed: "The clocks of this machine and of the server differ by more than 15 minutes. Correct them.",
  RegionMissing: "There is no region. Set `region` in STORAGE_URL, or AWS_REGION.",
  AuthorizationHeaderMalformed: wrongRegion,
  PermanentRedirect: wrongRegion,
  TemporaryRedirect: wrongRegion,
  ENOTFOUND: "The server's name cannot be resolved. Correct `endpoint` in STORAGE_URL, or set `path-style`.",
  ECONNREFUSED: "Nothing listens at the server's address. Start the server, or correct `endpoint` in STORAGE_URL.",
  TimeoutError: "The server does not answer in time.",
  AbortError: "The server does not answer in time.",
  SlowDown: "The server is overloaded.",
  TooManyRequests: "The server is overloaded.",
  ServiceUnavailable: "The server is overloaded.",
};

function adviceFor(code: string, { bucket, endpoint }: Place): string {
  const what = advice[code] ?? "The request failed.";
  return `Storage, bucket ${bucket}${endpoint === undefined ? "" : ` at ${new URL(endpoint).host}`}: ${what} (${code})`;
}
