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
