import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import { version } from "../generated/version.gen.ts";
import type { Connection } from "./connection.ts";

/** An HTTP request. `path` is relative to the base URL; a stream as `body` is read while it is sent. */
export type HttpRequest = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  headers?: Record<string, string>;
  body?: ReadableStream<Uint8Array> | string;
};

/** An HTTP response with its whole body. */
export type HttpResponse = { status: number; headers: Headers; text: string };

/**
 * Sends a request once and returns the result of `read` for the response, by default the whole body. Does not follow
 * redirects, so that the key reaches no other host. Throws the signal's reason when it is aborted, and
 * VideoToJsonConnectionError when no complete response arrives.
 */
export async function send(
  connection: Connection,
  outgoing: HttpRequest,
  signal: AbortSignal,
  read: (response: Response) => Promise<HttpResponse> = readWhole,
): Promise<HttpResponse> {
  const { method, path, body } = outgoing;
  const headers = new Headers({ accept: "application/json", ...outgoing.headers });
  headers.set("authorization", `Bearer ${connection.apiKey}`);
  headers.set("user-agent", userAgent());
  const init: RequestInit = { method, headers, signal, redirect: "manual" };
  if (typeof body === "string") init.body = body;
  else if (body) Object.assign(init, { body, duplex: "half", ...(takesRedirectError() && { redirect: "error" }) });
  const startedAt = Date.now();
  let head: Response | undefined;
  const log = (level: "debug" | "warn", message: string, more?: { error: unknown }) =>
    connection.log({
      level,
      message,
      method,
      path,
      status: head?.status,
      durationMs: Date.now() - startedAt,
      requestId: head?.headers.get("x-request-id") ?? undefined,
      jobId: head?.headers.get("job-id") ?? undefined,
      ...more,
    });
  try {
    head = await connection.fetch(connection.baseUrl + path, init);
    const response = await read(head);
    log("debug", "A response arrived.");
    return response;
  } catch (cause) {
    signal.throwIfAborted();
    log("warn", "No complete response arrived.", { error: cause });
    throw noResponse(connection, cause);
  }
}

/**
 * With any other redirect mode Node keeps a copy of everything it sends (docs/decisions/0009). Cloudflare's runtime refuses
 * this mode.
 */
function takesRedirectError(): boolean {
  try {
    return new Request("http://localhost", { redirect: "error" }).redirect === "error";
  } catch {
    return false;
  }
}

/** Reads a response to its end. */
export async function readWhole(response: Response): Promise<HttpResponse> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function noResponse({ baseUrl }: Connection, cause: unknown): VideoToJsonConnectionError {
  const reason = reasonOf(cause);
  if (/redirect/i.test(reason)) {
    return new VideoToJsonConnectionError(
      `${baseUrl} answered with a redirect, which the client does not follow. Check baseUrl.`,
      { cause, retryable: false },
    );
  }
  return new VideoToJsonConnectionError(
    `No answer came from ${baseUrl}: ${reason}. Check the address and the network, and try again.`,
    { cause, retryable: true },
  );
}

/**
 * Returns a description of the failure. The runtime's own message is only "fetch failed" or "terminated"; its cause
 * says more.
 */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { message?: string; code?: string } };
  const text = cause?.message || cause?.code || (error instanceof Error ? error.message : String(error));
  return text.replace(/[.\s]+$/, "");
}

/** Returns the User-Agent: this package and its version, then the runtime and its version if it names itself. */
function userAgent(): string {
  const versions: Partial<Record<string, string>> = globalThis.process?.versions ?? {};
  // Bun and Deno also name the version of Node that they imitate.
  const runtime = ["bun", "deno", "node"].find((name) => versions[name] !== undefined);
  return `video-to-json/${version}${runtime === undefined ? "" : ` ${runtime}/${versions[runtime]}`}`;
}
