import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";

/**
 * Assigns each request an id: the caller's own `X-Request-Id` if that is plain, otherwise a new UUID. The id is in
 * `response.locals.requestId` and in the header `X-Request-Id` of the response.
 */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.get("x-request-id");
  const id = given && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
  response.locals.requestId = id;
  response.set("X-Request-Id", id);
  next();
};
