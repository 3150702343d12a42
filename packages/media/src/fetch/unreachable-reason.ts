import { Problem } from "@video-to-json/contract";
import { isTemporary } from "./resolve-name.ts";

/**
 * Turns whatever broke a download into the Problem `video_unreachable`, without an address or a path in its message. What
 * this machine is short of is no fault of the URL, and comes back as it is.
 */
export function asUnreachable(error: unknown): unknown {
  const problem = findProblem(error);
  if (problem) return problem;
  if (isOurWant(error)) return error;
  return new Problem("video_unreachable", { reason: reasonFor(codeOf(error)) }, { cause: error });
}

/** Whether it was descriptors, memory or ports that lacked. */
function isOurWant(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isOurWant)) return true;
  const { code = "", address = "" } = error as NodeJS.ErrnoException & { address?: string };
  if (/^(EMFILE|ENFILE|ENOMEM|ENOBUFS|EAI_MEMORY|EAI_SYSTEM|EFILE)$/.test(code)) return true;
  // Of an IPv6 address it says that this machine has none itself, which is no want.
  if (code === "EADDRNOTAVAIL" && !address.includes(":")) return true;
  return isOurWant(error.cause);
}

/** A refusal raised while connecting comes back wrapped. */
function findProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof AggregateError) return error.errors.map(findProblem).find(Boolean);
  return error instanceof Error && error.cause !== undefined ? findProblem(error.cause) : undefined;
}

/** The HTTP client's parser gives a code to some of its errors only; their name says as much. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

function reasonFor(code: string): string {
  if (isTemporary(code)) return "The URL's host name cannot be looked up right now: no name server answers for it.";
  if (/^(ENOTFOUND|EAI_|ENODATA|EBADNAME)/.test(code)) return "The URL's host name was not found.";
  if (code === "ECONNREFUSED") return "The URL's server refused the connection.";
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return "The URL's server did not answer in time.";
  if (/^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code))
    return "No secure connection to the URL's server could be made: its certificate or protocol is not accepted.";
  if (/OVERFLOW|HPE_|Parser/i.test(code)) return "The URL's server did not answer in proper HTTP.";
  return "The connection to the URL's server broke before the whole video had come.";
}
