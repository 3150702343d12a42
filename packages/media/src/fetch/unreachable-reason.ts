import { Problem } from "@video-to-json/contract";
import { isTransientDnsCode } from "./resolve-name.ts";

/**
 * Converts the error of a download to the Problem `video_unreachable`. Its message contains no address and no path.
 * Returns the error itself if this machine ran out of a resource, because the URL is not at fault then.
 */
export function asUnreachable(error: unknown): unknown {
  const problem = findProblem(error);
  if (problem) return problem;
  if (isLocalResourceExhaustion(error)) return error;
  return new Problem("video_unreachable", { reason: reasonFor(codeOf(error)) }, { cause: error });
}

/** Returns whether this machine ran out of file descriptors, memory or local ports. */
function isLocalResourceExhaustion(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isLocalResourceExhaustion)) return true;
  const { code = "", address = "" } = error as NodeJS.ErrnoException & { address?: string };
  if (/^(EMFILE|ENFILE|ENOMEM|ENOBUFS|EAI_MEMORY|EAI_SYSTEM|EFILE)$/.test(code)) return true;
  // For an IPv6 address, EADDRNOTAVAIL means that this machine has no IPv6, not that its ports are exhausted.
  if (code === "EADDRNOTAVAIL" && !address.includes(":")) return true;
  return isLocalResourceExhaustion(error.cause);
}

/** Finds a Problem that the HTTP client has wrapped, because it was thrown while connecting. */
function findProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof AggregateError) return error.errors.map(findProblem).find(Boolean);
  return error instanceof Error && error.cause !== undefined ? findProblem(error.cause) : undefined;
}

/** Returns the error's code, or its name: some errors of the HTTP client's parser have no code. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

function reasonFor(code: string): string {
  if (isTransientDnsCode(code)) return "The URL's host name cannot be resolved right now: no name server answers.";
  if (/^(ENOTFOUND|EAI_|ENODATA|EBADNAME)/.test(code)) return "The URL's host name was not found.";
  if (code === "ECONNREFUSED") return "The URL's server refused the connection.";
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return "The URL's server did not answer in time.";
  if (/^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code))
    return "No secure connection to the URL's server is possible: its certificate or protocol is not accepted.";
  if (/OVERFLOW|HPE_|Parser/i.test(code)) return "The URL's server did not answer in valid HTTP.";
  return "The connection to the URL's server closed before the whole video had arrived.";
}
