import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";

/** Gives every request an id, the caller's own when it is plain, and every response the `X-Request-Id` that tells it. */
export const requestId: RequestHandler = (request, response, next) => {
  const own = request.get("x-request-id");
  const id = own && /^[A-Za-z0-9._-]{1,128}$/.test(own) ? own : randomUUID();
  response.locals.requestId = id;
  response.set("X-Request-Id", id);
  next();
};
