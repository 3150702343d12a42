import { Problem } from "@video-to-json/contract";
import type { RequestHandler } from "express";

/** HTTP/1.1 asks for a Host header; Node would refuse its lack without an Error body. */
export const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === "1.1" && request.headers.host === undefined) {
    throw new Problem("invalid_request", "The Host header is missing. Send it.");
  }
  next();
};
