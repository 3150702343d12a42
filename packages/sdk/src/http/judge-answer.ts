import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "../errors/video-to-json-error.ts";
import type { ErrorInside } from "../shapes.ts";
import type { Connection } from "./connection.ts";
import type { Answer } from "./send.ts";

/**
 * The JSON of a successful answer, which has these members. Throws VideoToJsonError when the service says why not, and
 * VideoToJsonConnectionError when the answer is not the service's: a proxy's page, a redirect, half a body.
 */
export function judgeAnswer<T extends object>(
  connection: Connection,
  answer: Answer,
  ...members: (keyof T & string)[]
): T {
  const { status } = answer;
  const json = parse(answer.text);
  if (status >= 200 && status < 300) {
    // The answer may be paid for: the same key reads it again.
    if (!isObject(json)) throw notTheService(connection, answer, "without its JSON", true);
    if (members.some((member) => !(member in json))) {
      throw notTheService(connection, answer, "with JSON that is not this service's", false);
    }
    return json as T;
  }
  if (status === 0 || (status >= 300 && status < 400)) {
    const to = answer.headers.get("location");
    const where = to && URL.canParse(to, connection.baseUrl) ? ` to ${new URL(to, connection.baseUrl).origin}` : "";
    throw notTheService(connection, answer, `with a redirect${where}, which the key is not sent to`, false);
  }
  const inside = errorInside(json);
  if (inside) throw new VideoToJsonError(inside, circumstancesOf(answer));
  const passing = status === 408 || status === 425 || status === 429 || status >= 500;
  throw notTheService(connection, answer, `with status ${status} and no error of this service`, passing);
}

function notTheService(
  { baseUrl }: Connection,
  answer: Answer,
  what: string,
  retryable: boolean,
): VideoToJsonConnectionError {
  const advice = retryable ? "Try again later" : "Check baseUrl, and what stands between";
  return new VideoToJsonConnectionError(`${baseUrl} answered ${what}. ${advice}.`, {
    ...circumstancesOf(answer),
    retryable,
  });
}

function circumstancesOf({ status, headers }: Answer) {
  return {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    jobId: headers.get("job-id") ?? undefined,
    retryAfterSeconds: retryAfterSeconds(headers.get("retry-after")),
  };
}

/** Seconds, or a date, as HTTP has it. */
function retryAfterSeconds(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}

/** The inside of an Error body (specification, "Error"). */
export function errorInside(json: unknown): ErrorInside | undefined {
  const inside = isObject(json) ? json.error : undefined;
  if (!isObject(inside) || typeof inside.code !== "string" || typeof inside.message !== "string") return undefined;
  return inside as ErrorInside;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
