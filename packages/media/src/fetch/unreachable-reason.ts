import { Problem } from "@video-to-json/contract";

/** Turns whatever broke a download into the Problem `video_unreachable`, without an address or a path in its message. */
export function asUnreachable(error: unknown): Problem {
  const problem = findProblem(error);
  if (problem) return problem;
  return new Problem("video_unreachable", `${reasonFor(codeOf(error))} Check the URL, then send it again.`, {
    cause: error,
  });
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
  if (/^(ENOTFOUND|EAI_|ENODATA)/.test(code)) return "The URL's host name was not found.";
  if (code === "ECONNREFUSED") return "The URL's server refused the connection.";
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return "The URL's server did not answer in time.";
  if (/^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code))
    return "No secure connection to the URL's server could be made: its certificate or protocol is not accepted.";
  if (/OVERFLOW|HPE_|Parser/i.test(code)) return "The URL's server did not answer in proper HTTP.";
  return "The connection to the URL's server broke before the whole video had come.";
}
