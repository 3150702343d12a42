import { Problem } from "@video-to-json/contract";
import type { RequestHandler } from "express";

/** Requires a Host header of HTTP/1.1 requests. Node can do this itself, but it answers without our Error body. */
export const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === "1.1" && request.headers.host === undefined) {
    throw new Problem("invalid_request", { reason: "The Host header is missing. Send it." });
  }
  next();
};
