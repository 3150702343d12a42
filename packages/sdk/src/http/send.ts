import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import type { Connection } from "./connection.ts";

/** One request: its path below the address, and its body, which is sent while it is read. */
export type Outgoing = {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: ReadableStream<Uint8Array> | string;
};

/** What came back, whole. */
export type Answer = { status: number; headers: Headers; text: string };

/**
 * Sends one request once and reads the answer to its end. Throws the signal's reason when it is aborted, and
 * VideoToJsonConnectionError when no whole answer comes. Redirects are not followed: the key is for this address alone.
 */
export async function send(connection: Connection, outgoing: Outgoing, signal: AbortSignal): Promise<Answer> {
  const { method, path, body } = outgoing;
  const headers = new Headers({ accept: "application/json", ...outgoing.headers });
  headers.set("authorization", `Bearer ${connection.apiKey}`);
  const init: RequestInit = { method, headers, signal, redirect: "manual" };
  if (typeof body === "string") init.body = body;
  // With any other word on redirects, Node keeps a copy of all that it has sent, for a request that could go on elsewhere.
  else if (body) Object.assign(init, { body, duplex: "half", redirect: "error" });
  try {
    const response = await connection.fetch(connection.baseUrl + path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    signal.throwIfAborted();
    throw noAnswer(connection, cause);
  }
}

function noAnswer({ baseUrl }: Connection, cause: unknown): VideoToJsonConnectionError {
  const reason = reasonOf(cause);
  if (/redirect/i.test(reason)) {
    return new VideoToJsonConnectionError(
      `${baseUrl} answered with a redirect, and the key is sent nowhere else. Check baseUrl.`,
      { cause, retryable: false },
    );
  }
  return new VideoToJsonConnectionError(
    `No answer came from ${baseUrl}: ${reason}. Check the address and the network, and try again.`,
    { cause, retryable: true },
  );
}

/** The runtime's own words are "fetch failed" or "terminated"; what happened is in the cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { message?: string; code?: string } };
  const text = cause?.message || cause?.code || (error instanceof Error ? error.message : String(error));
  return text.replace(/[.\s]+$/, "");
}
