import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "../errors/video-to-json-error.ts";
import type { ErrorInside } from "../shapes.ts";
import type { Connection } from "./connection.ts";
import type { HttpResponse } from "./send.ts";

/**
 * Returns the JSON of a successful response that has all `members`.
 *
 * Throws VideoToJsonError for the service's Error body. Throws VideoToJsonConnectionError for any other response: a
 * proxy's page, a redirect, an incomplete body.
 */
export function checkResponse<T extends object>(
  connection: Connection,
  response: HttpResponse,
  ...members: (keyof T & string)[]
): T {
  const { status } = response;
  const json = parseJson(response.text);
  if (status >= 200 && status < 300) {
    // Retryable: the job may have been charged, and the same idempotency key reads its answer again.
    if (!isObject(json)) throw foreignResponse(connection, response, "without valid JSON", true);
    if (members.some((member) => !(member in json))) {
      throw foreignResponse(connection, response, "with the JSON of another service", false);
    }
    return json as T;
  }
  if (status === 0 || (status >= 300 && status < 400)) {
    const location = response.headers.get("location");
    const target =
      location && URL.canParse(location, connection.baseUrl)
        ? ` to ${new URL(location, connection.baseUrl).origin}`
        : "";
    throw foreignResponse(connection, response, `with a redirect${target}, which the client does not follow`, false);
  }
  const inside = errorInside(json);
  if (inside) throw new VideoToJsonError(inside, fieldsOf(response));
  const isTransient = status === 408 || status === 425 || status === 429 || status >= 500;
  throw foreignResponse(connection, response, `with status ${status} and no error body of this service`, isTransient);
}

function foreignResponse(
  { baseUrl }: Connection,
  response: HttpResponse,
  what: string,
  retryable: boolean,
): VideoToJsonConnectionError {
  const advice = retryable ? "Try again later" : "Check baseUrl and any proxy";
  return new VideoToJsonConnectionError(`${baseUrl} answered ${what}. ${advice}.`, {
    ...fieldsOf(response),
    retryable,
  });
}

function fieldsOf({ status, headers }: HttpResponse) {
  return {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    jobId: headers.get("job-id") ?? undefined,
    retryAfterSeconds: retryAfterSeconds(headers.get("retry-after")),
  };
}

/** Reads a Retry-After header: a number of seconds or an HTTP date. */
function retryAfterSeconds(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}

/** Returns the `error` member of an Error body (specification, "Error"), or undefined for any other JSON. */
export function errorInside(json: unknown): ErrorInside | undefined {
  const inside = isObject(json) ? json.error : undefined;
  if (!isObject(inside) || typeof inside.code !== "string" || typeof inside.message !== "string") return undefined;
  return inside as ErrorInside;
}

/** Parses JSON. Returns undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether a JSON value is an object or an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
