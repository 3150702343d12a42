import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { Problem } from "@video-to-json/contract";
import type { RequestHandler } from "express";

const maxHeaders = 100;

/** Refuses a request with more than 100 headers. Node drops headers above its own limit and serves the rest. */
export const limitHeaders: RequestHandler = (request, _response, next) => {
  if (request.rawHeaders.length / 2 > maxHeaders) {
    throw new Problem("invalid_request", { reason: `The request has more than ${maxHeaders} headers. Send fewer.` });
  }
  next();
};

/** Requires a Host header of HTTP/1.1 requests. Node can do this itself, but it answers without our Error body. */
export const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === "1.1" && request.headers.host === undefined) {
    throw new Problem("invalid_request", { reason: "The Host header is missing. Send it." });
  }
  next();
};

/**
 * Assigns an id to each request: the caller's `X-Request-Id` if it has a plain form, otherwise a new UUID. The id is in
 * `response.locals.requestId` and in the response header `X-Request-Id`.
 */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.get("x-request-id");
  const id = given && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
  response.locals.requestId = id;
  response.set("X-Request-Id", id);
  next();
};

/** Returns a signal that aborts when the response is complete or the client has closed the connection. */
export function signalOnClose(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  if (response.destroyed) closed.abort();
  return closed.signal;
}
