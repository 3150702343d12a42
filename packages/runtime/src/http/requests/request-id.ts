import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";

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
